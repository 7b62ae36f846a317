#!lua flags=no-writes
-- Reads how a person marked posts: a step of a listing on a cluster.
-- KEYS: saved, seen, and where they count hidden posts, hidden groups
-- ARGV: post ids
-- Returns {when each was saved or nil, what was seen of each thread or nil, when each was hidden or
--         nil, hidden groups}.
local hidden = KEYS[3] and redis.call('ZMSCORE', KEYS[3], unpack(ARGV)) or {}
local groups = KEYS[4] and redis.call('SMEMBERS', KEYS[4]) or {}
return {redis.call('ZMSCORE', KEYS[1], unpack(ARGV)), redis.call('HMGET', KEYS[2], unpack(ARGV)),
  hidden, groups}
