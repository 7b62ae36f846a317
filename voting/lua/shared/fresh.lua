-- Return whether a cached key that was built to live `life` seconds is still fresh. Redis expires
-- keys by its own clock. If that clock was set back, the key would live too long, so it is deleted.
local function fresh(key, life)
  local left = redis.call('TTL', key)
  if left >= 0 and left <= tonumber(life) then return true end
  if left ~= -2 then redis.call('UNLINK', key) end
  return false
end
