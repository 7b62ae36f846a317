#!lua
-- Builds a week's board unless a fresh one is there. Its end is set once, when it is built: were
-- it moved by readers, a board that is read often would never be fresh.
-- KEYS: week, generation of the rankings, boards of the days
-- ARGV: life (s)
-- Returns 1 where it was built, 0 where it was there.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('ZUNIONSTORE', KEYS[1], #KEYS - 2, unpack(KEYS, 3))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
