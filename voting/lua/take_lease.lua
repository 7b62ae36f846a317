#!lua flags=allow-oom
-- Takes a lease, or makes one's own last longer; on a full server too, which the ledger's readers
-- give room. One that would last twice as long is of a time when the server's clock was ahead.
-- KEYS: lease
-- ARGV: reader, life (ms)
-- Returns 1 where the reader holds it now, 0 where another does.
local holder = redis.call('GET', KEYS[1])
local others = holder and holder ~= ARGV[1]
if others and redis.call('PTTL', KEYS[1]) <= 2 * ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
