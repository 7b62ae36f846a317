#!lua
-- Moves posts that have grown too old for a band of `top` into the next one.
-- KEYS: band, next band, `new` ranking of the same scope, swept
-- ARGV: posting time (s) at or before which a post is too old, most posts to look at
-- Returns how many posts were looked at.
local from = redis.call('HGET', KEYS[4], KEYS[1])
if not from then return 0 end
local old = redis.call('ZRANGE', KEYS[3], from, ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
if #old > 0 then
  local moved, first = {}, nil
  for i, score in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(old))) do
    if score then
      first = first or old[i]
      moved[#moved + 1], moved[#moved + 2] = score, old[i]
    end
  end
  if first then
    redis.call('ZREM', KEYS[1], unpack(old))
    redis.call('ZADD', KEYS[2], unpack(moved))
    local posted_at = tonumber(redis.call('ZSCORE', KEYS[3], first))
    local begun = tonumber(redis.call('HGET', KEYS[4], KEYS[2]))
    if not begun or posted_at < begun then redis.call('HSET', KEYS[4], KEYS[2], posted_at) end
  end
end
local reached = ARGV[1]
if #old == tonumber(ARGV[2]) then reached = redis.call('ZSCORE', KEYS[3], old[#old]) end
if tonumber(reached) > tonumber(from) then redis.call('HSET', KEYS[4], KEYS[1], reached) end
return #old
