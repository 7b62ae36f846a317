#!lua
-- Writes how many inbox items of each type a person has not read. Counts made earlier than those
-- that are there change nothing: of several that count at once, the last to begin is right.
-- KEYS: unread
-- ARGV: when counting began (µs), field that remembers it, 1 to remember it even where neither
--   counts are there nor any come, else 0; then type and number of each
-- Returns 1, or 0 where nothing is written: later counts are there, or nothing is to be remembered.
local before = redis.call('HGET', KEYS[1], ARGV[2])
if before and tonumber(before) > tonumber(ARGV[1]) then return 0 end
if not before and not ARGV[4] and ARGV[3] == '0' then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1], unpack(ARGV, 4))
return 1
