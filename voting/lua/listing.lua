#!lua flags=no-writes
-- Reads one page of a ranking with all its rows show.
-- KEYS: ranking, generation of the rankings
-- ARGV: viewer, pattern of a post, what follows it for its voters, shards, start, stop,
--       1 for best first
-- Returns {posts in the ranking, then id, posted_at, up, down, groups, card, vote for each row}.
local VIEWER, POST, VOTERS, SHARDS = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
-- include row
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end

local members
if ARGV[7] == '1' then
  members = redis.call('ZRANGE', KEYS[1], ARGV[5], ARGV[6], 'REV')
else
  members = redis.call('ZRANGE', KEYS[1], ARGV[5], ARGV[6])
end
local reply = {redis.call('ZCARD', KEYS[1])}
for _, member in ipairs(members) do append_row(reply, tonumber(member)) end
return reply
