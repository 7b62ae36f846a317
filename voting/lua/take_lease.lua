#!lua flags=allow-oom
-- Take or extend a lease. Runs on a full server too, since the ledger's readers make room there.
-- Ignores a lease that lasts over twice the usual life, because it was taken before the server's
-- clock was corrected.
-- KEYS: lease
-- ARGV: reader, life (ms)
-- Returns 1 if the reader holds the lease now, else 0.
local holder = redis.call('GET', KEYS[1])
local others = holder and holder ~= ARGV[1]
if others and redis.call('PTTL', KEYS[1]) <= 2 * ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
