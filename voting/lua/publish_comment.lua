#!lua
-- Create or update a comment, and add it to the post's newest comments. A new comment opens voting
-- with its author's up vote.
-- KEYS: comment, voter set, ledger, generation of the shard, newest comments, their cards
-- ARGV: comment id, post id, author, posted_at, version, 1 for an answer (voting never ends), card,
--       now (s), voting window (s), length of the list of newest comments, its life (s)
-- Returns 1, or 0 if a newer version is known.
local id, post_id, author, posted_at = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local LATEST, TEXTS, KEPT, LIFE = KEYS[5], KEYS[6], tonumber(ARGV[10]), ARGV[11]
-- include latest
if redis.call('EXISTS', KEYS[4]) == 0 then return redis.error_reply('EMPTY generation') end

local known = redis.call('HMGET', KEYS[1], 'version', 'tally')
if known[1] and tonumber(known[1]) > tonumber(ARGV[5]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[5])
redis.call('HDEL', KEYS[1], 'gone')
if not known[2] then
  redis.call('SADD', KEYS[2], author)
  if ARGV[6] == '1' then
    redis.call('HSET', KEYS[1], 'open', 1)
  else
    redis.call('EXPIREAT', KEYS[2], posted_at + ARGV[9] + $VOTERS_GRACE)
  end
  redis.call('HSET', KEYS[1], 'post', post_id, 'posted_at', posted_at, 'author', author)
  local change, up, down, start = table.concat({author, post_id, id, 1, ARGV[8]}, ' '), 1, 0, ''
  local counts_at
  -- include record
end
add_latest(id, ARGV[7])
trim_latest()
renew_latest()
return 1
