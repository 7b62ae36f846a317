-- Copies a post under many ids, and puts the copies into a group.
-- KEYS: post, group
-- ARGV: pattern of a post, shards, first id, last id
-- Returns nothing.
local fields = redis.call('HGETALL', KEYS[1])
for id = tonumber(ARGV[3]), tonumber(ARGV[4]) do
  redis.call('HSET', string.format(ARGV[1], id % ARGV[2], id), unpack(fields))
  redis.call('SADD', KEYS[2], id)
end
