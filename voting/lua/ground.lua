-- What every script that ranks begins with: the rules, the clock and the patterns of keys.
-- ARGV[1..9]: formula, weight (s), window (s), ranking limit, now (s),
--             beginning of site rankings, patterns of: beginning of group rankings, a group;
--             grace of a voter set (s)
local FORMULA, WEIGHT, WINDOW = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local LIMIT, NOW = tonumber(ARGV[4]), tonumber(ARGV[5])
local SITE_RANKINGS, GROUP_RANKINGS, GROUP, GRACE = ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local SITE = ''
local SPANS = {['top:day'] = 86400, ['top:week'] = 604800, ['top:month'] = 2592000}

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

-- Writes new points into the rankings that hold a post. A span is left to those still in it.
local function rerank(member, posted_at, points, groups)
  local hot, top = hot_score(posted_at, points), top_score(posted_at, points)
  for _, scope in ipairs(scopes(groups)) do
    local beginning = rankings(scope)
    redis.call('ZADD', beginning .. 'hot', hot, member)
    redis.call('ZADD', beginning .. 'top:all', top, member)
    for order, span in pairs(SPANS) do
      if NOW - posted_at < span then
        redis.call('ZADD', beginning .. order, 'XX', top, member)
      end
    end
  end
end
