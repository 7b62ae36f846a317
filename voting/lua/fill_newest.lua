#!lua
-- Puts a part of a post's newest comments, as an archive had them, beside those that came since;
-- with the last part the list counts as filled.
-- KEYS: generation of the shard, newest comments, their texts
-- ARGV: filler, what a comment's key begins with, newest kept, their life (s),
--       floor with the last part ('' before), then id, version, text of each comment
-- Returns 1, or 0 where this filler's turn is over.
local LATEST, TEXTS, KEPT, LIFE = KEYS[2], KEYS[3], tonumber(ARGV[3]), ARGV[4]
-- include latest
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end
if redis.call('HGET', TEXTS, 'filler') ~= ARGV[1] then return 0 end

for i = 6, #ARGV, 3 do
  local id = ARGV[i]
  local version = redis.call('HGET', ARGV[2] .. id, 'version')
  -- What is later than the archive's state has been put here, or taken away, by its own delivery.
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
