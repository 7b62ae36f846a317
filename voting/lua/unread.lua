#!lua flags=no-writes
-- Reads how many inbox items of each type a person has not read.
-- KEYS: unread
-- Returns {type, number, ...}; the field of `put_unread.lua` among them.
return redis.call('HGETALL', KEYS[1])
