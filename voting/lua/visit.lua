#!lua
-- Record that a person opens a thread, and delete visits that are too old or too many. Opening the
-- thread again soon, for example after each vote, continues the visit.
-- KEYS: viewed, seen
-- ARGV: post id, comments in the thread, now (s), posts in the list, its life (s), length of a
--       visit (s)
-- Returns the time (s) of the previous visit, or nothing.
local id, now, life = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[5])

local function forget(ids)
  if #ids == 0 then return end
  redis.call('ZREM', KEYS[1], unpack(ids))
  redis.call('HDEL', KEYS[2], unpack(ids))
end

forget(redis.call('ZRANGE', KEYS[1], '-inf', now - life, 'BYSCORE'))
local before = redis.call('HGET', KEYS[2], id)
local opened, since = string.match(before or '', '(%d+) %d+ (%d+)')
if opened and now - opened >= tonumber(ARGV[6]) then since = opened end
-- Several visits in one second get different times, so that the oldest is deleted first.
local last = redis.call('ZRANGE', KEYS[1], 0, 0, 'REV', 'WITHSCORES')
local at = math.max(now, last[2] and tonumber(last[2]) + 0.00001 or 0)
redis.call('ZADD', KEYS[1], string.format('%.5f', at), id)
redis.call('HSET', KEYS[2], id, now .. ' ' .. ARGV[2] .. ' ' .. (since or 0))
forget(redis.call('ZRANGE', KEYS[1], 0, -tonumber(ARGV[4]) - 1))
redis.call('EXPIRE', KEYS[1], life)
redis.call('EXPIRE', KEYS[2], life)
since = tonumber(since or 0)
return since > 0 and since or nil
