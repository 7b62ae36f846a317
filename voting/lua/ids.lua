#!lua flags=no-writes
-- Reads the posts of a part of a ranking, or of several as if they were one: the first step of a
-- listing on a cluster.
-- KEYS: generation of the rankings, rankings
-- ARGV: start (rank from 0), how many, 1 for best first, score and member after which to start in
--       place of the rank ('' for neither)
-- Returns {posts in the ranking, rank of the first, their ids, their scores}.
-- include merged
-- include ranked
-- include cursor
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end
local rankings, best_first = {unpack(KEYS, 2)}, ARGV[3] == '1'
local start = start_of(rankings, tonumber(ARGV[1]), ARGV[4], ARGV[5], best_first)
local ids, scores = {}, {}
for i, member in ipairs(members_of(rankings, start, tonumber(ARGV[2]), best_first)) do
  ids[i], scores[i] = tonumber(member), score_of(rankings, member)
end
return {size_of(rankings), start, ids, scores}
