#!lua flags=no-writes
-- Read a page of a leaderboard, most points first; subjects without points are not listed.
-- KEYS: leaderboard, generation of the rankings
-- ARGV: start, lines of a page
-- Returns {number of lines of the whole leaderboard, then id and points of each line}.
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
local reply = redis.call('ZRANGE', KEYS[1], '+inf', '(0', 'BYSCORE', 'REV',
  'LIMIT', ARGV[1], ARGV[2], 'WITHSCORES')
table.insert(reply, 1, redis.call('ZCOUNT', KEYS[1], '(0', '+inf'))
return reply
