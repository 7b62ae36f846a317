-- Brings one person's state in a voter set to `wanted` (1, 0, -1) and returns the up and down votes
-- afterwards, or nothing where it was so before. Where nobody voted so, nobody is looked for.
local function turn(voters, person, wanted, up, down)
  -- Added before removed: a set that was empty for a moment would have lost its time to live.
  if wanted ~= 0 and redis.call('SADD', voters, wanted * person) == 0 then return end
  if wanted ~= 1 and up > 0 and redis.call('SREM', voters, person) == 1 then
    up = up - 1
  elseif wanted ~= -1 and down > 0 and redis.call('SREM', voters, -person) == 1 then
    down = down - 1
  elseif wanted == 0 then
    return
  end
  return wanted == 1 and up + 1 or up, wanted == -1 and down + 1 or down
end
