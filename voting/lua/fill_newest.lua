#!lua
-- Add comments from SQL to the list of a post's newest comments. The last call marks the list as
-- filled.
-- KEYS: generation of the shard, newest comments, their cards
-- ARGV: filler, key prefix of a comment, length of the list, its life (s), the floor ('' except
--       in the last call); then id, version and card of each comment
-- Returns 1, or 0 if this filler has lost the right to fill the list.
local LATEST, TEXTS, KEPT, LIFE = KEYS[2], KEYS[3], tonumber(ARGV[3]), ARGV[4]
-- include latest
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end
if redis.call('HGET', TEXTS, 'filler') ~= ARGV[1] then return 0 end

for i = 6, #ARGV, 3 do
  local id = ARGV[i]
  local version = redis.call('HGET', ARGV[2] .. id, 'version')
  -- Skip a comment if Redis has a newer version: a sync has added or removed it after SQL was read.
  if not version or tonumber(version) <= tonumber(ARGV[i + 1]) then
    add_latest(id, ARGV[i + 2])
  end
end
trim_latest()
if ARGV[5] ~= '' then
  local floor = math.max(tonumber(ARGV[5]), tonumber(redis.call('HGET', TEXTS, 'least') or 0))
  for _, id in ipairs(redis.call('ZRANGE', LATEST, '-inf', '(' .. floor, 'BYSCORE')) do
    drop_latest(id)
  end
  redis.call('HSET', TEXTS, 'floor', floor)
  redis.call('HDEL', TEXTS, 'filler', 'filler_until', 'least')
end
renew_latest()
return 1
