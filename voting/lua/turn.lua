-- Turns one person's state in a voter set from `current` to `wanted` (1, 0, -1), of which at least
-- one is not 0, and returns the up and down votes afterwards. Posts and comments share it.
local function turn(voters, person, current, wanted, up, down)
  -- Added before removed: a set that was empty for a moment would have lost its time to live.
  if wanted ~= 0 then redis.call('SADD', voters, wanted * person) end
  if current ~= 0 then redis.call('SREM', voters, current * person) end
  if current == 1 then up = up - 1 elseif current == -1 then down = down - 1 end
  if wanted == 1 then up = up + 1 elseif wanted == -1 then down = down + 1 end
  return up, down
end
