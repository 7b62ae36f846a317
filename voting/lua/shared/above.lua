-- Return a member's rank (from 0) in a ranking, the member just above, and the score of the member
-- above; false if no member is above.
local function above_of(ranking, member)
  local rank = redis.call('ZREVRANK', ranking, member)
  if not rank or rank == 0 then return rank, false, false end
  local found = redis.call('ZRANGE', ranking, rank - 1, rank - 1, 'REV', 'WITHSCORES')
  return rank, found[1], found[2]
end
