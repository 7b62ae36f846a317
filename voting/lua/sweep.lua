#!lua
-- Move posts that have become too old for a band of `top` to the next band.
-- KEYS: band, next band, `new` ranking of the same scope, swept
-- ARGV: posting time (s) up to which a post is too old, most posts to check
-- Returns 1 if the band may have more such posts, else 0.
local LAST = KEYS[1] .. ':last'
local from, last = unpack(redis.call('HMGET', KEYS[4], KEYS[1], LAST))
if not from then return 0 end

-- The previous sweep may have stopped between posts of the same second. Skip the posts that it has
-- checked.
local looked_at = 0
if last and (tonumber(redis.call('ZSCORE', KEYS[3], last)) or 0) == tonumber(from) then
  looked_at = redis.call('ZRANK', KEYS[3], last) + 1
    - redis.call('ZCOUNT', KEYS[3], '-inf', '(' .. from)
end
local old = redis.call('ZRANGE', KEYS[3], from, ARGV[1], 'BYSCORE', 'LIMIT', looked_at, ARGV[2])
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
if #old == tonumber(ARGV[2]) then
  last = old[#old]
  redis.call('HSET', KEYS[4], KEYS[1], redis.call('ZSCORE', KEYS[3], last), LAST, last)
  return 1
end
if tonumber(ARGV[1]) > tonumber(from) then redis.call('HSET', KEYS[4], KEYS[1], ARGV[1]) end
if last then redis.call('HDEL', KEYS[4], LAST) end
return 0
