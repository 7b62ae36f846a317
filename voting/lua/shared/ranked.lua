-- Reads the posts of a ranking, or of several as if they were one. Needs merged.lua.

-- Returns `count` ids from a rank (from 0) on, fewer at the end, and the score of each.
local function ids_of(rankings, from, count, best_first)
  local ids, scores, stop = {}, {}, from + count - 1
  if #rankings == 1 then
    local range = {'ZRANGE', rankings[1], from, stop, 'WITHSCORES'}
    if best_first then table.insert(range, 5, 'REV') end
    local flat = redis.call(unpack(range))
    for i = 1, #flat, 2 do ids[#ids + 1], scores[#scores + 1] = tonumber(flat[i]), flat[i + 1] end
    return ids, scores
  end
  local flat, skip = around(rankings, from, stop, best_first)
  local found = {}
  for i = 1, #flat, 2 do found[#found + 1] = {tonumber(flat[i + 1]), flat[i], flat[i + 1]} end
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return (a[1] > b[1]) == best_first end
    return a[2] ~= b[2] and (a[2] > b[2]) == best_first
  end)
  for i = skip + 1, math.min(skip + count, #found) do
    ids[#ids + 1], scores[#scores + 1] = tonumber(found[i][2]), found[i][3]
  end
  return ids, scores
end

local function size_of(rankings)
  local total = 0
  for _, key in ipairs(rankings) do total = total + redis.call('ZCARD', key) end
  return total
end
