#!lua flags=no-writes
-- Read a person's unread counts.
-- KEYS: unread counts
-- ARGV: none
-- Returns {type, number, ...}, and the time of counting (see put_unread.lua).
return redis.call('HGETALL', KEYS[1])
