-- Writes new scores of a post into the rankings that hold it. Needs ground.lua.
-- The same as voting/scores.py.
local function hot_score(posted_at, points)
  if FORMULA == 'linear' then return posted_at + WEIGHT * points end
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  return posted_at + (points < 0 and -size or size)
end

-- Writes new points into the rankings that hold a post: the site's, then those of its groups.
local function rerank(member, posted_at, points, groups)
  local hot, top, own = hot_score(posted_at, points), top_score(posted_at, points), band(posted_at)
  local beginning, next_group = SITE_RANKINGS, string.gmatch(groups, '%S+')
  repeat -- a function for each scope would be made anew with every vote
    redis.call('ZADD', beginning .. 'hot', hot, member)
    if redis.call('ZADD', beginning .. own, top, member) == 1 then
-- Few votes do this: the others need not even make its functions.
-- include settle
      settle(beginning, own, member, posted_at, top)
    end
    local name = next_group()
    beginning = name and GROUP_RANKINGS .. name .. OF_GROUP
  until not beginning
end
