#!lua flags=no-writes
-- Reads a page of a board, the most points first; who has none is not on it.
-- KEYS: board, generation of the rankings
-- ARGV: start, most lines
-- Returns {lines of the whole board, then id and points for each line}.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
local reply = redis.call('ZRANGE', KEYS[1], '+inf', '(0', 'BYSCORE', 'REV',
  'LIMIT', ARGV[1], ARGV[2], 'WITHSCORES')
table.insert(reply, 1, redis.call('ZCOUNT', KEYS[1], '(0', '+inf'))
return reply
