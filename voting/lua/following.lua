#!lua
-- Build a person's feed unless a fresh one is cached.
-- KEYS: feed, cached feeds, generation of the rankings, `hot` of the site, then `hot` of each group
--       followed, then the posts by time of each person followed
-- ARGV: life (s), now (s), most cached feeds, most posts in a feed, number of groups, most posts
--       taken from a group, most posts taken from a person
-- Returns 1 if the feed was built, 0 if it was cached.
-- include fresh
if redis.call('EXISTS', KEYS[3]) == 0 then return redis.error_reply('EMPTY generation') end
if fresh(KEYS[1], ARGV[1]) then return 0 end
local FIRST = 5
local people = FIRST + tonumber(ARGV[5])

-- Drop expired feeds. If too many are left, drop those that expire next.
redis.call('ZREM', KEYS[2], KEYS[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[2])
while redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) do
  redis.call('UNLINK', redis.call('ZPOPMIN', KEYS[2])[1])
end

local function add(scored)
  if #scored > 0 then redis.call('ZADD', KEYS[1], unpack(scored)) end
end

for i = FIRST, people - 1 do
  local best = redis.call('ZRANGE', KEYS[i], 0, ARGV[6] - 1, 'REV', 'WITHSCORES')
  for n = 1, #best, 2 do best[n], best[n + 1] = best[n + 1], best[n] end
  add(best)
end

for i = people, #KEYS do
  local newest, scored = redis.call('ZRANGE', KEYS[i], 0, ARGV[7] - 1, 'REV'), {}
  local scores = #newest > 0 and redis.call('ZMSCORE', KEYS[4], unpack(newest)) or {}
  for n, score in ipairs(scores) do
    if score then scored[#scored + 1], scored[#scored + 2] = score, newest[n] end
  end
  add(scored)
end

redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[4]) - 1)
if redis.call('EXISTS', KEYS[1]) == 0 then return 1 end
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2] + ARGV[1], KEYS[1])
return 1
