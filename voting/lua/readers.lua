#!lua flags=allow-oom
-- Record that a reader of the ledger is working, and return all working readers. Readers are on
-- several machines, so the script uses the server's clock, by which leases expire too. Runs on a
-- full server too, since readers make room there. Times in the future were recorded before the
-- clock was corrected. The script removes them; their readers call again soon.
-- KEYS: readers
-- ARGV: reader, how long a reader counts as working (ms)
-- Returns the working readers.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
