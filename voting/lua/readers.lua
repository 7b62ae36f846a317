#!lua flags=allow-oom
-- Notes that a reader of the ledger is at work, and tells who is. By the server's own clock, as
-- leases end: readers are on several machines. On a full server too, which they give room.
-- Who was last at work in the future was so before that clock was put right, and asks again soon.
-- KEYS: readers
-- ARGV: reader, how long it counts as working (ms)
-- Returns the readers at work.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
