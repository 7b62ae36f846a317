#!lua flags=no-writes
-- Read a person's marks on posts. This is a step of a listing on a cluster.
-- KEYS: saved, seen, and optionally hidden posts and hidden groups
-- ARGV: post ids
-- Returns {times of saving, last visits to the threads, times of hiding, hidden groups}; nil for
--         posts without that mark.
local hidden = KEYS[3] and redis.call('ZMSCORE', KEYS[3], unpack(ARGV)) or {}
local groups = KEYS[4] and redis.call('SMEMBERS', KEYS[4]) or {}
return {redis.call('ZMSCORE', KEYS[1], unpack(ARGV)), redis.call('HMGET', KEYS[2], unpack(ARGV)),
  hidden, groups}
