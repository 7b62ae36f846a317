#!lua flags=no-writes
-- Tells where a post stands in a ranking and what is just above it.
-- KEYS: post, ranking, generation of the rankings
-- ARGV: member, pattern of a post, shards
-- Returns {row, tally (see parts.lua), posts ranked, rank from 0, member above, its score and row,
--         seconds a vote is worth}, the last five nil where there is none; or nil where no such post
--         is open to readers.
-- include above
if redis.call('EXISTS', KEYS[3]) == 0 then return redis.error_reply('EMPTY generation') end

local post = redis.call('HMGET', KEYS[1], 'row', 'tally')
if not post[1] then return false end
local rank, above, score = above_of(KEYS[2], ARGV[1])
local row = false
if above then
  local id = tonumber(above)
  row = redis.call('HGET', string.format(ARGV[2], id % tonumber(ARGV[3]), id), 'row')
end
return {post[1], post[2], redis.call('ZCARD', KEYS[2]), rank, above, score, row,
  redis.call('GET', '$VOTE_SECONDS')}
