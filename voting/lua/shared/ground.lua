-- What every script that ranks begins with: the rules, the clock and where rankings are.
-- ARGV[1]: now (s)
local FORMULA, WEIGHT, WINDOW, LIMIT = '$FORMULA', $WEIGHT, $WINDOW, $RANKING_LIMIT
-- Texts count as numbers in arithmetic, but not in comparisons; `tonumber` would take twice as long.
local NOW = ARGV[1] + 0
-- What the keys of rankings begin with; a group's name stands between the last two.
local SITE_RANKINGS, GROUP_RANKINGS, OF_GROUP = '$SITE_RANKINGS', '$GROUP_RANKINGS', '$OF_GROUP'
-- A scope's `top` is kept in bands by age: each post is in one, so that a vote writes one.
local BANDS = {'top:day', 'top:week', 'top:month', 'top:older'}

-- The same as voting/scores.py.
local function top_score(posted_at, points)
  return points * 8589934592 + posted_at
end

local function band(posted_at)
  local age = NOW - posted_at
  if age < 86400 then return BANDS[1] end
  if age < 604800 then return BANDS[2] end
  return age < 2592000 and BANDS[3] or BANDS[4]
end
