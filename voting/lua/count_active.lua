#!lua
-- Count the people who were active on all of the given days, or on any of them. Counts one piece:
-- 2^20 user ids.
-- KEYS: two temporary keys, then the bitmaps of the days
-- ARGV: AND (every) or OR (any); optionally a bitmap of the people to count
-- Returns the number of people.
redis.call('BITOP', ARGV[1], KEYS[1], unpack(KEYS, 3))
if ARGV[2] then
  redis.call('SET', KEYS[2], ARGV[2])
  redis.call('BITOP', 'AND', KEYS[1], KEYS[1], KEYS[2])
end
local count = redis.call('BITCOUNT', KEYS[1])
redis.call('UNLINK', KEYS[1], KEYS[2])
return count
