-- Steps that write new points into the rankings that hold a post: the site's, then those of its
-- groups. They need ground.lua and the locals member, posted_at, points and groups.

-- The same as voting/scores.py.
local hot, top, age = posted_at + WEIGHT * points, points * POINT + posted_at, NOW - posted_at
if FORMULA ~= 'linear' then
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  hot = posted_at + (points < 0 and -size or size)
end
local own = age < 86400 and DAY or age < 604800 and WEEK or age < 2592000 and MONTH or OLDER
local call, beginning, next_group = redis.call, SITE_RANKINGS, string.gmatch(groups, '%S+')
repeat
  call('ZADD', beginning .. 'hot', hot, member)
  if call('ZADD', beginning .. own, top, member) == 1 then
    -- Few votes do this: the others need not even make its functions.
    -- include settle
    settle(beginning, own, member, posted_at, top)
  end
  local name = next_group()
  beginning = name and GROUP_RANKINGS .. name .. OF_GROUP
until not beginning
