-- Writes new scores of a post into the rankings that hold it. Needs ground.lua.
local SWEPT = '$SWEPT'

-- The same as voting/scores.py.
local function hot_score(posted_at, points)
  if FORMULA == 'linear' then return posted_at + WEIGHT * points end
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  return posted_at + (points < 0 and -size or size)
end

-- Has sweeping a band begin early enough for a post (see sweep.lua).
local function note_unswept(band, posted_at)
  local from = redis.call('HGET', SWEPT, band)
  if not from or posted_at < from + 0 then redis.call('HSET', SWEPT, band, posted_at) end
end

-- Ends the stay of a post, which is in the band of its age since just now, in another band. What
-- `new` has dropped stays in the oldest: sweeping the others follows `new`.
local function settle(beginning, own, member, posted_at, score)
  if own ~= BANDS[4] and not redis.call('ZSCORE', beginning .. 'new', member) then
    redis.call('ZREM', beginning .. own, member)
    redis.call('ZADD', beginning .. BANDS[4], score, member)
    return
  end
  for _, name in ipairs(BANDS) do
    if name ~= own then redis.call('ZREM', beginning .. name, member) end
  end
  note_unswept(beginning .. own, posted_at)
end

-- Writes new points into the rankings that hold a post.
local function rerank(member, posted_at, points, groups)
  local hot, top, own = hot_score(posted_at, points), top_score(posted_at, points), band(posted_at)
  local function write(beginning)
    redis.call('ZADD', beginning .. 'hot', hot, member)
    if redis.call('ZADD', beginning .. own, top, member) == 1 then
      settle(beginning, own, member, posted_at, top)
    end
  end
  write(SITE_RANKINGS)
  for name in string.gmatch(groups, '%S+') do write(GROUP_RANKINGS .. name .. OF_GROUP) end
end
