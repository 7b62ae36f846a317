#!lua flags=no-writes
-- Reads the posts of a part of a ranking, or of several as if they were one: the first step of a
-- listing on a cluster.
-- KEYS: generation of the rankings, rankings
-- ARGV: start (rank from 0), how many, 1 for best first
-- Returns {posts in the ranking, their ids}.
-- include merged
-- include ranked
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end
local rankings = {unpack(KEYS, 2)}
return {size_of(rankings), ids_of(rankings, tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1')}
