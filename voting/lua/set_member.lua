#!lua
-- Add a member to a person's list, or remove the member.
-- KEYS: list, generation of the person's shard
-- ARGV: member, time of the member (s; '' to remove the member), most members (0: unlimited)
-- Returns the number of members in the list.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end

if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
end
if tonumber(ARGV[3]) > 0 then
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[3]) - 1)
end
return redis.call('ZCARD', KEYS[1])
