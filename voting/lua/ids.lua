#!lua flags=no-writes
-- Read the ids on a page of one or several rankings. The first step of a listing on a cluster.
-- KEYS: generation of the rankings, rankings
-- ARGV: start (rank from 0), number of ids, 1 for best first, then score and member of a cursor
--       ('' for none; with a cursor, the ids after the cursor are read instead)
-- Returns {size of the ranking, rank of the first id, ids, scores}.
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
