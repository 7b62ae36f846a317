#!lua flags=no-writes
-- Read the rows of posts.
-- KEYS: generation of the rankings
-- ARGV: row patterns (see row.lua), post ids
-- Returns {number of ids, number of ids, rows (see row.lua)}.
-- include row
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end

local rows = new_rows()
for i = 7, #ARGV do append_row(rows, tonumber(ARGV[i])) end
return {#ARGV - 6, #ARGV - 6, viewed(rows)}
