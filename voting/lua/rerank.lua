-- Writes new scores of a post into the rankings that hold it. Needs ground.lua.

-- The same as voting/scores.py.
local function hot_score(posted_at, points)
  if FORMULA == 'linear' then return posted_at + WEIGHT * points end
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  return posted_at + (points < 0 and -size or size)
end

-- Writes a score into an older band that still holds a post, or a new post into its own. What `new`
-- has dropped goes to the oldest: sweeping the others follows `new`.
local function find_band(beginning, own, member, score)
  for _, name in ipairs(BANDS) do
    if redis.call('ZSCORE', beginning .. name, member) then
      return redis.call('ZADD', beginning .. name, score, member)
    end
  end
  if not redis.call('ZSCORE', beginning .. 'new', member) then own = BANDS[4] end
  redis.call('ZADD', beginning .. own, score, member)
end

-- Writes new points into the rankings that hold a post.
local function rerank(member, posted_at, points, groups)
  local hot, top, own = hot_score(posted_at, points), top_score(posted_at, points), band(posted_at)
  local function write(beginning)
    redis.call('ZADD', beginning .. 'hot', hot, member)
    if redis.call('ZADD', beginning .. own, 'XX', 'CH', top, member) == 0 then
      find_band(beginning, own, member, top)
    end
  end
  write(SITE_RANKINGS)
  for name in string.gmatch(groups, '%S+') do write(string.format(GROUP_RANKINGS, name)) end
end
