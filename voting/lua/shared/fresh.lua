-- Says whether what was built to last so many seconds may be shown still. Redis ends it by its own
-- clock: where that was put back, it would last for as much longer, and is dropped.
local function fresh(key, life)
  local left = redis.call('TTL', key)
  if left >= 0 and left <= tonumber(life) then return true end
  if left ~= -2 then redis.call('UNLINK', key) end
  return false
end
