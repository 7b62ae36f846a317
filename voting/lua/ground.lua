-- What every script that ranks begins with: the rules, the clock and the patterns of keys.
-- ARGV[1..9]: formula, weight (s), window (s), ranking limit, now (s),
--             beginning of site rankings, patterns of: beginning of group rankings, a group;
--             grace of a voter set (s)
local FORMULA, WEIGHT, WINDOW = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local LIMIT, NOW = tonumber(ARGV[4]), tonumber(ARGV[5])
local SITE_RANKINGS, GROUP_RANKINGS, GROUP, GRACE = ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local SITE = ''
-- A scope's `top` is kept in bands by age: each post is in one, so that a vote writes one.
local BANDS = {'top:day', 'top:week', 'top:month', 'top:older'}

-- What the keys of a scope's rankings begin with; the order follows.
local function rankings(scope)
  if scope == SITE then return SITE_RANKINGS end
  return string.format(GROUP_RANKINGS, scope)
end

local function ranking(scope, order) return rankings(scope) .. order end

-- The same as voting/scores.py.
local function hot_score(posted_at, points)
  if FORMULA == 'linear' then return posted_at + WEIGHT * points end
  local size = math.log10(math.max(math.abs(points), 1)) * 45000
  return posted_at + (points < 0 and -size or size)
end

local function top_score(posted_at, points)
  return points + posted_at / 8589934592
end

-- The site and each group of a space-separated list.
local function scopes(groups)
  local list = {SITE}
  for name in string.gmatch(groups, '%S+') do list[#list + 1] = name end
  return list
end

local function band(posted_at)
  local age = NOW - posted_at
  if age < 86400 then return BANDS[1] end
  if age < 604800 then return BANDS[2] end
  return age < 2592000 and BANDS[3] or BANDS[4]
end
