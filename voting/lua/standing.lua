#!lua flags=no-writes
-- Tells where a post stands in a ranking and what is just above it, for a cluster.
-- KEYS: ranking, generation of the rankings
-- ARGV: member
-- Returns {posts ranked, rank from 0, member above, its score, seconds a vote is worth}, nil where
-- there is none.
-- include above
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
local rank, above, score = above_of(KEYS[1], ARGV[1])
return {redis.call('ZCARD', KEYS[1]), rank, above, score, redis.call('GET', '$VOTE_SECONDS')}
