#!lua flags=no-writes
-- Read a post's standing in a ranking, and the post just above.
-- KEYS: post, ranking, generation of the rankings
-- ARGV: member, key pattern of a post, number of shards
-- Returns {row, tally (see parts.lua), size of the ranking, rank from 0, member above, its score,
--         its row, vote value (s)}; the last five may be nil. Returns nil for an unknown or
--         retracted post.
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
