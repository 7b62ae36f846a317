#!lua flags=allow-oom
-- Record that a reader of the ledger is working, and return all working readers. Uses the server's
-- clock, because readers are on several machines. Runs on a full server too, since readers make
-- room there. Removes times in the future, which were recorded before the clock was corrected.
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
