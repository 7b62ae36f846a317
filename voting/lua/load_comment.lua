#!lua
-- Load a comment from SQL into Redis. Its voters are already in a temporary set. Deletes the list
-- of the post's newest comments, which may lack the comment or have its old card.
-- KEYS: comment, voter set, temporary voter set, generation of the shard, newest comments, their
--       cards
-- ARGV: author, posted_at, version, up, down, 1 for an answer (voting never ends), voting window
--       (s), 1 if a rebuild fills the closed store, post id, the ledger id of the last change that
--       the record from SQL includes ('' if a comment that Redis already has must not be replaced),
--       size of the temporary voter set, number of uncounted votes, places of new accounts (see
--       load_uncounted.lua)
-- Returns 1 if the comment was loaded; 0 if Redis has the comment and must not replace it, or has a
--         newer version or a later change; -1, with nothing done, if the temporary voter set is
--         incomplete.
-- include texts
if ARGV[8] ~= '1' and redis.call('EXISTS', KEYS[4]) == 0 then
  redis.call('UNLINK', KEYS[3])
  return redis.error_reply('EMPTY generation')
end

local known = redis.call('HMGET', KEYS[1], 'tally', 'version')
local last, version = known[1] and last_of(known[1]), tonumber(known[2]) or 0
local voters = tonumber(ARGV[11])
if (known[1] and last ~= ARGV[10]) or version > tonumber(ARGV[3]) then
  redis.call('UNLINK', KEYS[3])
  return 0
end
-- Voters who are missing from the set could vote twice.
if redis.call('SCARD', KEYS[3]) ~= voters then return -1 end
if redis.call('HLEN', KEYS[3] .. '$UNCOUNTED_SUFFIX') ~= tonumber(ARGV[12]) then return -1 end
if known[1] then redis.call('UNLINK', KEYS[2]) end
redis.call('HDEL', KEYS[1], 'gone')
redis.call('HSET', KEYS[1], 'post', ARGV[9], 'posted_at', ARGV[2], 'author', ARGV[1],
  'version', ARGV[3], 'tally', tally_text(ARGV[4], ARGV[5], '', last or '0-0'))
redis.call('UNLINK', KEYS[5], KEYS[6])
if ARGV[6] == '1' then redis.call('HSET', KEYS[1], 'open', 1) end
local expires_at, places = ARGV[6] ~= '1' and ARGV[2] + ARGV[7] + $VOTERS_GRACE, ARGV[13]
if voters > 0 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  if expires_at then
    redis.call('EXPIREAT', KEYS[2], expires_at)
  else
    redis.call('PERSIST', KEYS[2])
  end
end
-- include load_uncounted
return 1
