-- Return one person's vote in a voter set: 1, 0 or -1.
local function vote_of(voters, person)
  local voted = redis.call('SMISMEMBER', voters, person, -person)
  return voted[1] - voted[2]
end
