#!lua
-- Brings back how many views posts had on a day; who knows of more has seen later ones.
-- KEYS: views of the day
-- ARGV: when the day's keys end (s), then of each post: id, views
-- Returns nothing.
for i = 2, #ARGV, 2 do
  local known = tonumber(redis.call('HGET', KEYS[1], ARGV[i])) or 0
  if known < tonumber(ARGV[i + 1]) then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('EXPIREAT', KEYS[1], ARGV[1])
