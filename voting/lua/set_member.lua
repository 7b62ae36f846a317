#!lua
-- Brings one member of a person's list to a state. May be repeated.
-- KEYS: list, generation of the person's hash tag
-- ARGV: member, its time (s) or '' to take it out, newest members kept at most (0: all)
-- Returns how many members the list has then.
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
