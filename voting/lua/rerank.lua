#!lua
-- Has a post's place in the rankings written again; only on a cluster, where it is a step of its own.
-- KEYS: post, generation of the shard
-- ARGV: now (s)
-- Returns 1, or 0 where there is no such post.
-- include prelude
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
if redis.call('HEXISTS', KEYS[1], 'tally') == 0 then return 0 end
-- include rank_points
return 1
