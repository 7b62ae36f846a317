-- Decide whether the first vote of a new account on a target counts now, or waits until the account
-- is no longer new. The author's vote always counts. Needs the locals of apply_vote.lua, and NOW.
-- `newcomer` is '' for other accounts, else "end most network": when the account stops being new
-- (s), how many votes of new accounts count at a time, and the network of which only one counts.
local ends, most, network = string.match(newcomer, '(%d+) (%d+) (%S+)')
if redis.call('HGET', KEYS[1], 'author') ~= tostring(person) then
  local NEW, places = KEYS[1] .. '$NEW_SUFFIX', 0
  local taken = redis.call('HGETALL', NEW)
  for i = 1, #taken, 2 do
    if string.match(taken[i + 1], '%d+$') + 0 > NOW then
      places = places + 1
      if taken[i] == network then places = most + 0 break end
    else
      redis.call('HDEL', NEW, taken[i])
    end
  end
  if places < most + 0 then
    redis.call('HSET', NEW, network, person .. ' ' .. ends)
    if redis.call('TTL', NEW) < ends - NOW then redis.call('EXPIREAT', NEW, ends) end
  else
    counts_at, worth = ends, 0
    redis.call('HSET', KEYS[1], 'uncounted', 1)
    redis.call('HSET', KEYS[1] .. '$UNCOUNTED_SUFFIX', person, ends)
    local life = redis.call('TTL', KEYS[2])
    if life > 0 then redis.call('EXPIRE', KEYS[1] .. '$UNCOUNTED_SUFFIX', life) end
  end
end
