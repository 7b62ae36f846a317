#!lua
-- Puts a whole comment back as an archive remembers it, with the voters put aside for it. The newest
-- comments of its post may lack it, or have what it said before: they are to be filled anew.
-- KEYS: comment, voters, voters put aside, generation of the shard, newest comments, their texts
-- ARGV: author, posted_at, version, up, down, 1 for an answer (voting never ends), window (s),
--       1 where a rebuild fills the closed store, post id,
--       to replace a known comment: the ledger id of its last change, which the archive has; else '',
--       voters put aside
-- Returns 1, or 0 where it is known and stays: nobody wants it replaced, or it changed since (of one
--         that was never known, only that it was retracted may be);
--         or -1, with nothing done, where not all voters are there who were put aside.
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
-- Tallies without voters would let everybody vote once more.
if redis.call('SCARD', KEYS[3]) ~= voters then return -1 end
if known[1] then redis.call('UNLINK', KEYS[2]) end
redis.call('HDEL', KEYS[1], 'gone')
redis.call('HSET', KEYS[1], 'post', ARGV[9], 'posted_at', ARGV[2], 'author', ARGV[1],
  'version', ARGV[3], 'tally', tally_text(ARGV[4], ARGV[5], last or '0-0'))
redis.call('UNLINK', KEYS[5], KEYS[6])
if ARGV[6] == '1' then redis.call('HSET', KEYS[1], 'open', 1) end
if voters > 0 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  if ARGV[6] == '1' then
    redis.call('PERSIST', KEYS[2])
  else
    redis.call('EXPIREAT', KEYS[2], ARGV[2] + ARGV[7] + $VOTERS_GRACE)
  end
end
return 1
