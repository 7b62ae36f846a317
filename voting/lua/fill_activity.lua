#!lua
-- Adds the people of an archived bitmap to those who were here on a day. May be repeated.
-- KEYS: bitmap of the day, a key to work in
-- ARGV: archived bitmap, when the day's bitmap ends (s)
-- Returns how many people the day has then.
redis.call('SET', KEYS[2], ARGV[1])
redis.call('BITOP', 'OR', KEYS[1], KEYS[1], KEYS[2])
redis.call('UNLINK', KEYS[2])
redis.call('EXPIREAT', KEYS[1], ARGV[2])
return redis.call('BITCOUNT', KEYS[1])
