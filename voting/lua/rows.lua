#!lua flags=no-writes
-- Reads the rows of given posts.
-- KEYS: generation of the rankings
-- ARGV: viewer, pattern of a post, what follows it for its voters, shards, post ids
-- Returns {number of ids, then id, posted_at, up, down, groups, card, vote for each row}.
local VIEWER, POST, VOTERS, SHARDS = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
-- include row
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end

local reply = {#ARGV - 4}
for i = 5, #ARGV do append_row(reply, tonumber(ARGV[i])) end
return reply
