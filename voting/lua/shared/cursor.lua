-- Find the rank at which a page starts, given the last post of the previous page.

-- Return how many entries a ranking has up to and including a place, given as score and member.
-- Uses binary search (members with equal scores are sorted by name), because the member may be
-- gone.
local function passed(key, score, member, best_first)
  local beyond, from = '(' .. score, 0
  if best_first then from = redis.call('ZCOUNT', key, beyond, '+inf')
  else from = redis.call('ZCOUNT', key, '-inf', beyond) end
  local to = from + redis.call('ZCOUNT', key, score, score)
  while from < to do
    local middle = math.floor((from + to) / 2)
    local range = {'ZRANGE', key, middle, middle}
    if best_first then range[5] = 'REV' end
    local found = redis.call(unpack(range))[1]
    if found == member or (found > member) == best_first then from = middle + 1 else to = middle end
  end
  return from
end

-- Return the rank (from 0) at which a page of one or several rankings starts: after the place of
-- score and member, or at `start` without a score.
local function start_of(rankings, start, score, member, best_first)
  if score == '' then return start end
  local rank = 0
  for _, key in ipairs(rankings) do rank = rank + passed(key, score, member, best_first) end
  return rank
end
