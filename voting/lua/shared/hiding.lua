-- Says which posts a viewer does not want to see in lists. Needs row.lua and parts.lua.
-- ARGV[10..12]: posts the viewer hides, groups the viewer hides, what the viewer has read; each
--               empty where it does not count
local HIDDEN, HIDDEN_GROUPS, READ = ARGV[10], ARGV[11], ARGV[12]
local SCANNED = 200

-- Returns a table of {index = true} for those of `ids` that are hidden.
local function hidden_ones(ids)
  local hidden = {}
  local function mark(found)
    for i, one in ipairs(found) do
      if one then hidden[i] = true end
    end
  end
  if HIDDEN ~= '' and redis.call('EXISTS', HIDDEN) == 1 then
    mark(redis.call('ZMSCORE', HIDDEN, unpack(ids)))
  end
  if READ ~= '' then mark(redis.call('HMGET', READ, unpack(ids))) end
  local groups = HIDDEN_GROUPS ~= '' and redis.call('SMEMBERS', HIDDEN_GROUPS) or {}
  if #groups > 0 then
    for i, id in ipairs(ids) do
      local _, held = string.match(redis.call('HGET', post_key(id), 'row') or '', ROW)
      held = ' ' .. (held or '') .. ' '
      for _, name in ipairs(groups) do
        if string.find(held, ' ' .. name .. ' ', 1, true) then hidden[i] = true end
      end
    end
  end
  return hidden
end
