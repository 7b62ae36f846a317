-- Maintain the list of a post's newest comments: the newest KEPT comments that are not deleted. No
-- comment with an id of `floor` or more is missing. Needs the locals LATEST, TEXTS (keys), KEPT and
-- LIFE (s).

-- Drop the oldest comments beyond KEPT. This raises the floor, or, in an unfilled list, the field
-- `least`: the lowest value that the floor may have later.
local function trim_latest()
  local beyond = redis.call('ZRANGE', LATEST, 0, -KEPT - 1)
  if #beyond == 0 then return end
  redis.call('ZREMRANGEBYRANK', LATEST, 0, -KEPT - 1)
  redis.call('HDEL', TEXTS, unpack(beyond))
  local field = redis.call('HEXISTS', TEXTS, 'floor') == 1 and 'floor' or 'least'
  redis.call('HSET', TEXTS, field, beyond[#beyond] + 1)
end

-- An unfilled list takes every comment. A filled list refuses comments below its floor, such as an
-- edited old comment, because the list lacks other comments between that comment and the floor.
local function add_latest(id, shown)
  local floor = tonumber(redis.call('HGET', TEXTS, 'floor') or 0)
  if tonumber(id) < floor then return end
  redis.call('ZADD', LATEST, id, id)
  redis.call('HSET', TEXTS, id, shown)
end

local function drop_latest(id)
  redis.call('ZREM', LATEST, id)
  redis.call('HDEL', TEXTS, id)
end

local function renew_latest()
  redis.call('EXPIRE', LATEST, LIFE)
  redis.call('EXPIRE', TEXTS, LIFE)
end
