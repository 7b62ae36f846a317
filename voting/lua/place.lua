-- Puts a post into rankings and groups, and takes it out. Needs ground.lua.

-- Drops the worst of a ranking beyond the limit. What leaves `new` leaves the spans too, since
-- their sweeping follows `new`.
local function trim(scope)
  for _, order in ipairs({'hot', 'top:all'}) do
    redis.call('ZREMRANGEBYRANK', ranking(scope, order), 0, -LIMIT - 1)
  end
  local newest = ranking(scope, 'new')
  local beyond = redis.call('ZRANGE', newest, 0, -LIMIT - 1)
  for _, member in ipairs(beyond) do
    redis.call('ZREM', newest, member)
    for order in pairs(SPANS) do redis.call('ZREM', ranking(scope, order), member) end
  end
end

local function place(swept, id, member, posted_at, points, groups)
  local top = top_score(posted_at, points)
  for _, scope in ipairs(scopes(groups)) do
    redis.call('ZADD', ranking(scope, 'new'), posted_at, member)
    for order, span in pairs(SPANS) do
      if NOW - posted_at < span then
        local key = ranking(scope, order)
        redis.call('ZADD', key, top, member)
        local from = tonumber(redis.call('HGET', swept, key))
        if not from or posted_at < from then redis.call('HSET', swept, key, posted_at) end
      end
    end
    if scope ~= SITE then redis.call('SADD', string.format(GROUP, scope), id) end
  end
  rerank(member, posted_at, points, groups)
  for _, scope in ipairs(scopes(groups)) do trim(scope) end
end

local function leave(scope, id, member)
  for _, order in ipairs({'hot', 'new', 'top:all', 'top:day', 'top:week', 'top:month'}) do
    redis.call('ZREM', ranking(scope, order), member)
  end
  if scope ~= SITE then redis.call('SREM', string.format(GROUP, scope), id) end
end
