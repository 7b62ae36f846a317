#!lua
-- Add the people of an archived bitmap to the people active on a day.
-- KEYS: bitmap of the day, a temporary key
-- ARGV: archived bitmap, expiry of the day's bitmap (s)
-- Returns the number of people active on the day.
redis.call('SET', KEYS[2], ARGV[1])
redis.call('BITOP', 'OR', KEYS[1], KEYS[1], KEYS[2])
redis.call('UNLINK', KEYS[2])
redis.call('EXPIREAT', KEYS[1], ARGV[2])
return redis.call('BITCOUNT', KEYS[1])
