-- What every script that ranks begins with: the rules, the clock and where rankings are.
-- ARGV[1..5]: formula, weight (s), window (s), ranking limit, now (s)
local FORMULA, WEIGHT, WINDOW = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local LIMIT, NOW = tonumber(ARGV[4]), tonumber(ARGV[5])
-- What the keys of rankings begin with: of the site, and of a group as a pattern.
local SITE_RANKINGS, GROUP_RANKINGS = '$SITE_RANKINGS', '$GROUP_RANKINGS_PATTERN'
-- A scope's `top` is kept in bands by age: each post is in one, so that a vote writes one.
local BANDS = {'top:day', 'top:week', 'top:month', 'top:older'}

-- The same as voting/scores.py.
local function top_score(posted_at, points)
  return points + posted_at / 8589934592
end

local function band(posted_at)
  local age = NOW - posted_at
  if age < 86400 then return BANDS[1] end
  if age < 604800 then return BANDS[2] end
  return age < 2592000 and BANDS[3] or BANDS[4]
end
