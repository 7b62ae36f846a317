-- Writes new scores of a post into the rankings that hold it. Needs ground.lua.
-- The same as voting/scores.py.
local function hot_score(posted_at, points)
  if FORMULA == 'linear' then return posted_at + WEIGHT * points end
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  return posted_at + (points < 0 and -size or size)
end

-- Writes new points into the rankings that hold a post.
local function rerank(member, posted_at, points, groups)
  local hot, top, own = hot_score(posted_at, points), top_score(posted_at, points), band(posted_at)
  local function write(beginning)
    redis.call('ZADD', beginning .. 'hot', hot, member)
    if redis.call('ZADD', beginning .. own, top, member) == 1 then
-- Few votes do this: the others need not even make its functions.
-- include settle
      settle(beginning, own, member, posted_at, top)
    end
  end
  write(SITE_RANKINGS)
  for name in string.gmatch(groups, '%S+') do write(GROUP_RANKINGS .. name .. OF_GROUP) end
end
