#!lua
-- Read some of a post's newest comments. If the list is not filled, give one caller at a time the
-- right to fill the list.
-- KEYS: generation of the shard, newest comments, their cards
-- ARGV: id below which to read, number of comments, life of the list (s), filler, now (s), life of
--       a filler's right (s)
-- Returns {floor, id, card, id, card ...}; or {nil, 1 if the caller may fill the list, else 0}.
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end

local held = redis.call('HMGET', KEYS[3], 'floor', 'filler', 'filler_until')
local function renew()
  redis.call('EXPIRE', KEYS[2], ARGV[3])
  redis.call('EXPIRE', KEYS[3], ARGV[3])
end
if not held[1] then
  if held[2] and tonumber(held[3]) > tonumber(ARGV[5]) then return {false, 0} end
  redis.call('HSET', KEYS[3], 'filler', ARGV[4], 'filler_until', ARGV[5] + ARGV[6])
  renew()
  return {false, 1}
end

local ids = redis.call('ZRANGE', KEYS[2], '(' .. ARGV[1], '-inf', 'BYSCORE', 'REV',
  'LIMIT', 0, ARGV[2])
local reply = {tonumber(held[1])}
if #ids > 0 then
  local texts = redis.call('HMGET', KEYS[3], unpack(ids))
  for i, id in ipairs(ids) do reply[2 * i], reply[2 * i + 1] = id, texts[i] end
end
renew()
return reply
