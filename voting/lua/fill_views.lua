#!lua
-- Write a day's archived views to Redis, except where Redis has more views of a post.
-- KEYS: views of the day
-- ARGV: expiry of the day's keys (s), then id and views of each post
-- Returns nothing.
for i = 2, #ARGV, 2 do
  local known = tonumber(redis.call('HGET', KEYS[1], ARGV[i])) or 0
  if known < tonumber(ARGV[i + 1]) then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('EXPIREAT', KEYS[1], ARGV[1])
