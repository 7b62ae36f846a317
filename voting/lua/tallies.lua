#!lua flags=no-writes
-- Read the tallies of comments of one shard, without unknown and retracted comments.
-- KEYS: generation of the shard
-- ARGV: viewer (0: guest), key prefix of a comment, key suffix of its voter set, comment ids
-- Returns id, posted_at, up, down, 1 if voting never ends, and vote of each comment, in one
--         list. The vote is "vote:until" if it doesn't count (see apply_vote.lua).
-- include parts
-- include vote_of
local viewer, beginning, voters = tonumber(ARGV[1]), ARGV[2], ARGV[3]
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end

local reply, n = {}, 0
for i = 4, #ARGV do
  local key = beginning .. ARGV[i]
  local comment = redis.call('HMGET', key, 'posted_at', 'tally', 'open', 'gone', 'uncounted')
  if comment[1] and not comment[4] then
    local vote = viewer > 0 and vote_of(key .. voters, viewer) or 0
    local counts_at = comment[5] and vote ~= 0 and redis.call('HGET', key .. '$UNCOUNTED_SUFFIX', viewer)
    if counts_at then vote = vote .. ':' .. counts_at end
    reply[n + 1], reply[n + 2] = ARGV[i], comment[1]
    reply[n + 3], reply[n + 4] = string.match(comment[2], TALLY)
    reply[n + 5], reply[n + 6] = comment[3] and 1 or 0, vote
    n = n + 6
  end
end
return reply
