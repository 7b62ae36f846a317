#!lua
-- Add a group to a person's hidden groups, or remove the group.
-- KEYS: hidden groups, generation of the person's shard
-- ARGV: name, 1 to hide the group
-- Returns the number of hidden groups.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end

redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[1], ARGV[1])
return redis.call('SCARD', KEYS[1])
