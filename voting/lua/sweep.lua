#!lua
-- Takes posts that have grown too old out of the ranking of a span.
-- KEYS: ranking of the span, `new` ranking of the same scope, swept
-- ARGV: posting time (s) at or before which a post is too old, most posts to take out
-- Returns how many posts were looked at.
local from = redis.call('HGET', KEYS[3], KEYS[1])
if not from then return 0 end
local old = redis.call('ZRANGE', KEYS[2], from, ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
if #old > 0 then redis.call('ZREM', KEYS[1], unpack(old)) end
local reached = ARGV[1]
if #old == tonumber(ARGV[2]) then reached = redis.call('ZSCORE', KEYS[2], old[#old]) end
if tonumber(reached) > tonumber(from) then redis.call('HSET', KEYS[3], KEYS[1], reached) end
return #old
