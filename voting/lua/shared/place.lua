-- Add a post to rankings and groups, and remove it. Needs prelude.lua and scopes.lua.
-- include bands

local GROUP = '$GROUP_PATTERN'

-- Drop the lowest posts of each ranking beyond the limit. Posts dropped from `new` move to the
-- oldest band, because a sweep (see sweep.lua) finds posts only in `new`.
local function trim(scope)
  local newest, oldest_band = ranking(scope, 'new'), ranking(scope, OLDER)
  for _, member in ipairs(redis.call('ZRANGE', newest, 0, -LIMIT - 1)) do
    redis.call('ZREM', newest, member)
    for i = 1, 3 do
      local score = redis.call('ZSCORE', ranking(scope, BANDS[i]), member)
      if score then
        redis.call('ZREM', ranking(scope, BANDS[i]), member)
        redis.call('ZADD', oldest_band, score, member)
      end
    end
  end
  for _, order in ipairs({'hot', 'active', 'views', OLDER}) do
    redis.call('ZREMRANGEBYRANK', ranking(scope, order), 0, -LIMIT - 1)
  end
end

-- `post` has posted_at, points, groups (separated by spaces), commented_at (0: never) and views.
local function place(id, member, post)
  local posted_at, points, groups = post.posted_at, post.points, post.groups
  local list = scopes(groups)
  for _, scope in ipairs(list) do
    redis.call('ZADD', ranking(scope, 'new'), posted_at, member)
    redis.call('ZADD', ranking(scope, 'active'), math.max(posted_at, post.commented_at), member)
    redis.call('ZADD', ranking(scope, 'views'), post.views * POINT + posted_at, member)
    if scope ~= SITE then redis.call('SADD', string.format(GROUP, scope), id) end
  end
  -- include rank_points
  for _, scope in ipairs(list) do trim(scope) end
end

local function leave(scope, id, member)
  for _, order in ipairs({'hot', 'new', 'active', 'views', unpack(BANDS)}) do
    redis.call('ZREM', ranking(scope, order), member)
  end
  if scope ~= SITE then redis.call('SREM', string.format(GROUP, scope), id) end
end

local AUTHOR_KEPT = 1000

local function place_author(key, member, posted_at)
  redis.call('ZADD', key, posted_at, member)
  redis.call('ZREMRANGEBYRANK', key, 0, -AUTHOR_KEPT - 1)
end

local function leave_author(key, member) redis.call('ZREM', key, member) end
