-- Find the posts that a viewer hides from listings. Needs row.lua and parts.lua.
-- ARGV[10..12]: keys of hidden posts, hidden groups and read threads; '' if the listing shows them
local HIDDEN, HIDDEN_GROUPS, READ = ARGV[10], ARGV[11], ARGV[12]
local SCANNED = 200 -- if more rows than this are hidden, the page has fewer rows than usual

-- Return whether a post has no comments since a visit to its thread ("time comments since").
local function all_read(id, visit)
  local row = redis.call('HGET', post_key(id), 'row') or ''
  local comments = string.match(row, COMMENTS)
  return tonumber(comments or 0) <= tonumber(string.match(visit, ' (%d+) '))
end

-- Return a table that has {index = true} for each hidden post in `ids`.
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
  if READ ~= '' and redis.call('EXISTS', READ) == 1 then
    for i, visit in ipairs(redis.call('HMGET', READ, unpack(ids))) do
      if visit and all_read(ids[i], visit) then hidden[i] = true end
    end
  end
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
