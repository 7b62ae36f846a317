-- Read several rankings as if they were one ranking. Each member is in only one of them.
local CLOSE = 100

local function before(lists, score, best_first)
  local each, sum = {}, 0
  local beyond = '(' .. string.format('%.17g', score)
  for i, key in ipairs(lists) do
    if best_first then each[i] = redis.call('ZCOUNT', key, beyond, '+inf')
    else each[i] = redis.call('ZCOUNT', key, '-inf', beyond) end
    sum = sum + each[i]
  end
  return each, sum
end

-- Advance to a rank among entries of equal score, if one list has all of these entries. Return the
-- number of entries before the new position.
local function among_equals(lists, each, sum, rank, score)
  local holder
  for i, key in ipairs(lists) do
    if redis.call('ZCOUNT', key, score, score) > 0 then
      if holder then return sum end
      holder = i
    end
  end
  each[holder] = each[holder] + rank - sum
  return rank
end

-- Return how many entries of each list come before a rank of the whole, by binary search over the
-- scores. The sum may be up to CLOSE too low, or more if several lists have many entries of the
-- same score.
local function offsets(lists, rank, best_first)
  local each, sum, near, far = {}, 0, nil, nil
  if #lists == 1 then return {rank}, rank end
  for i, key in ipairs(lists) do
    each[i] = 0
    for _, edge in ipairs({0, -1}) do
      local score = tonumber(redis.call('ZRANGE', key, edge, edge, 'WITHSCORES')[2])
      if score and (not near or (score > near) == best_first) then near = score end
      if score and (not far or (score < far) == best_first) then far = score end
    end
  end
  if not near then return each, 0 end
  while rank - sum > CLOSE do
    local middle = (near + far) / 2
    local found, all = before(lists, middle, best_first)
    if middle == near or middle == far then
      found, all = before(lists, far, best_first)
      if all <= rank then near, each, sum = far, found, all end
      return each, among_equals(lists, each, sum, rank, string.format('%.17g', near))
    end
    if all > rank then far = middle else near, each, sum = middle, found, all end
  end
  return each, sum
end

-- Return the members from rank `start` to `stop` (from 0) and some further members around,
-- unsorted, each member followed by its score. Also return how many of these members come before
-- `start`.
local function around(lists, start, stop, best_first)
  local from, skipped = offsets(lists, start, best_first)
  local to, reached = offsets(lists, stop + 1, best_first)
  local found, rest = {}, stop - reached
  for i, key in ipairs(lists) do
    local last = to[i] + rest
    if last >= from[i] then -- a stop of -1 would mean the end of the list
      local range = {'ZRANGE', key, from[i], last, 'WITHSCORES'}
      if best_first then table.insert(range, 5, 'REV') end
      local part = redis.call(unpack(range))
      if #lists == 1 then return part, start - skipped end
      for k = 1, #part do found[#found + 1] = part[k] end
    end
  end
  return found, start - skipped
end
