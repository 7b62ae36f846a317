#!lua flags=allow-oom
-- Release a lease if the reader holds the lease.
-- KEYS: lease
-- ARGV: reader
-- Returns 0, because the reader no longer holds the lease.
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0
