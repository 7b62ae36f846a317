-- Read the posts of one ranking, or of several rankings as one. Needs merged.lua.

-- Return `count` members beginning at a rank (from 0); fewer at the end of the ranking.
local function members_of(rankings, from, count, best_first)
  local stop = from + count - 1
  if #rankings == 1 then
    if best_first then return redis.call('ZRANGE', rankings[1], from, stop, 'REV') end
    return redis.call('ZRANGE', rankings[1], from, stop)
  end
  local flat, skip = around(rankings, from, stop, best_first)
  local found, members = {}, {}
  for i = 1, #flat, 2 do found[#found + 1] = {tonumber(flat[i + 1]), flat[i]} end
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return (a[1] > b[1]) == best_first end
    return a[2] ~= b[2] and (a[2] > b[2]) == best_first
  end)
  for i = skip + 1, math.min(skip + count, #found) do members[#members + 1] = found[i][2] end
  return members
end

-- Return the score of a member, which is in one of the rankings.
local function score_of(rankings, member)
  for _, key in ipairs(rankings) do
    local score = redis.call('ZSCORE', key, member)
    if score then return score end
  end
end

local function size_of(rankings)
  local total = 0
  for _, key in ipairs(rankings) do total = total + redis.call('ZCARD', key) end
  return total
end
