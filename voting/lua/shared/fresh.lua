-- Return whether something that was built to live `life` seconds is still fresh. Redis expires it
-- by its own clock: if that was set back, the key would live longer, so it is deleted.
local function fresh(key, life)
  local left = redis.call('TTL', key)
  if left >= 0 and left <= tonumber(life) then return true end
  if left ~= -2 then redis.call('UNLINK', key) end
  return false
end
