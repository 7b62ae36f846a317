-- Replace which votes on a target don't count by those of a temporary hash. Needs the locals
-- expires_at (s; false for an answer) and places: "network person end" of each new account whose
-- vote counts, used only if Redis doesn't know such places. Frees the places of votes that don't
-- count. See new_place.lua.
local UNCOUNTED, NEW = KEYS[1] .. '$UNCOUNTED_SUFFIX', KEYS[1] .. '$NEW_SUFFIX'
redis.call('UNLINK', UNCOUNTED)
redis.call('HDEL', KEYS[1], 'uncounted')
if redis.call('EXISTS', KEYS[3] .. '$UNCOUNTED_SUFFIX') == 1 then
  redis.call('RENAME', KEYS[3] .. '$UNCOUNTED_SUFFIX', UNCOUNTED)
  redis.call('HSET', KEYS[1], 'uncounted', 1)
  if expires_at then
    redis.call('EXPIREAT', UNCOUNTED, expires_at)
  else
    redis.call('PERSIST', UNCOUNTED)
  end
end
local taken = redis.call('HGETALL', NEW)
for i = 1, #taken, 2 do
  local person = string.match(taken[i + 1], '^%d+')
  if redis.call('HEXISTS', UNCOUNTED, person) == 1 then redis.call('HDEL', NEW, taken[i]) end
end
if places ~= '' and #taken == 0 then
  local last = 0
  for network, person, ends in string.gmatch(places, '(%S+) (%d+) (%d+)') do
    redis.call('HSET', NEW, network, person .. ' ' .. ends)
    last = math.max(last, ends)
  end
  redis.call('EXPIREAT', NEW, last)
end
