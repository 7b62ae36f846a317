#!lua flags=no-writes
-- Tells where a post stands in a ranking and what is just above it.
-- KEYS: post, ranking, generation of the rankings
-- ARGV: member
-- Returns {posted_at, up, down, posts ranked, rank from 0, member above, its score}, the last
--         three false where there is none; or nil where no such post is open to readers.
if redis.call('EXISTS', KEYS[3]) == 0 then return redis.error_reply('EMPTY generation') end

local post = redis.call('HMGET', KEYS[1], 'posted_at', 'up', 'down', 'gone')
if not post[1] or post[4] then return false end
local rank = redis.call('ZREVRANK', KEYS[2], ARGV[1])
local above = {false, false}
if rank and rank > 0 then
  above = redis.call('ZRANGE', KEYS[2], rank - 1, rank - 1, 'REV', 'WITHSCORES')
end
return {post[1], post[2], post[3], redis.call('ZCARD', KEYS[2]), rank, above[1], above[2]}
