#!lua
-- Replace a person's unread counts, unless the counting for the stored counts began later.
-- KEYS: unread counts
-- ARGV: when counting began (µs), the field for that time, 1 to write the time even if the person
--       has neither old nor new counts, else 0; then type and number of each count
-- Returns 1, or 0 if nothing was written.
local before = redis.call('HGET', KEYS[1], ARGV[2])
if before and tonumber(before) > tonumber(ARGV[1]) then return 0 end
if not before and not ARGV[4] and ARGV[3] == '0' then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1], unpack(ARGV, 4))
return 1
