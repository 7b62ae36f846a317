#!lua
-- Puts a name into a person's set, or takes it out. May be repeated.
-- KEYS: set, generation of the person's hash tag
-- ARGV: name, 1 to put it in
-- Returns how many names the set has then.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end

redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[1], ARGV[1])
return redis.call('SCARD', KEYS[1])
