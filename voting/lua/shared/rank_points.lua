-- Write a post's points to the rankings of the site and of the post's groups. Needs prelude.lua and
-- the locals member, posted_at, points and groups.

local call, hot = redis.call, posted_at
-- The same formulas as in voting/scores.py. The vote value is read here and isn't an argument,
-- because a caller may not know a new value yet.
if FORMULA == 'linear' then
  local weight = tonumber(call('GET', '$VOTE_SECONDS') or WEIGHT)
  hot = hot + points * (points < 0 and math.max(weight, 28800) or weight)
elseif points < 0 then
  hot = hot - math.log10(-points) * (86400 / math.log10(3))
else
  hot = hot + math.log10(math.max(points, 1)) * 45000
end
local top, age = points * POINT + posted_at, NOW - posted_at
local own = age < 86400 and DAY or age < 604800 and WEEK or age < 2592000 and MONTH or OLDER
local beginning, next_group = SITE_RANKINGS, string.gmatch(groups, '%S+')
repeat
  call('ZADD', beginning .. 'hot', hot, member)
  if call('ZADD', beginning .. own, top, member) == 1 then
    -- Few votes get here, so most votes don't create the functions in settle.lua.
    -- include settle
    settle(beginning, own, member, posted_at, top)
  end
  local name = next_group()
  beginning = name and GROUP_RANKINGS .. name .. OF_GROUP
until not beginning
