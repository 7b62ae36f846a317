-- Return whether a cached key that was built to live `life` seconds still exists. A key that would
-- live longer, because the server's clock was set back, is deleted.
local function fresh(key, life)
  local left = redis.call('TTL', key)
  if left >= 0 and left <= tonumber(life) then return true end
  if left ~= -2 then redis.call('UNLINK', key) end
  return false
end
