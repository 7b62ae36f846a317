#!lua
-- Writes how many inbox items of each type a person has not read. Counts made earlier than those
-- that are there change nothing: of several that count at once, the last to begin is right.
-- KEYS: unread
-- ARGV: when counting began (µs), field that remembers it, then type and number of each
-- Returns 1, or 0 where later counts are there.
local before = redis.call('HGET', KEYS[1], ARGV[2])
if before and tonumber(before) > tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1], unpack(ARGV, 3))
return 1
