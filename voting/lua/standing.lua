#!lua flags=no-writes
-- Read a post's standing in a ranking, and the post just above, on a cluster.
-- KEYS: ranking, generation of the rankings
-- ARGV: member
-- Returns {size of the ranking, rank from 0, member above, its score, vote value (s)}; some may be
--         nil.
-- include above
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
local rank, above, score = above_of(KEYS[1], ARGV[1])
return {redis.call('ZCARD', KEYS[1]), rank, above, score, redis.call('GET', '$VOTE_SECONDS')}
