#!lua
-- Write a post's place in the rankings again. Only for clusters, where ranking is a separate step.
-- KEYS: post, generation of the shard
-- ARGV: now (s)
-- Returns 1, or 0 for an unknown post.
-- include prelude
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
if redis.call('HEXISTS', KEYS[1], 'tally') == 0 then return 0 end
-- include rank_points
return 1
