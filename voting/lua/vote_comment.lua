#!lua
-- Brings one person's vote on a comment to a wanted state, with tallies and ledger.
-- KEYS: comment, voters, ledger, post, generation of the shard,
--       where changes are limited: times of the person's window
-- ARGV: person, wanted (1, 0, -1), post id, comment id, now (s), window (s),
--       where changes are limited: now (ms), name of the hit, windows (see windows.lua)
-- Returns {outcome, vote, up, down, posted_at, 1 where voting never ends}; outcome: 1 changed,
--         0 unchanged, -1 closed; or {-2} where no such comment is open to readers;
--         or {-3, time to wait (ms)}; or {-4} where there are votes and the voters are gone.
-- include turn
local person, wanted, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
local first = redis.call('EXISTS', KEYS[5], KEYS[2]) < 2
if first and redis.call('EXISTS', KEYS[5]) == 0 then
  return redis.error_reply('EMPTY generation')
end

local comment = redis.call('HMGET', KEYS[1], 'posted_at', 'up', 'down', 'open', 'gone', 'post')
local post = redis.call('HMGET', KEYS[4], 'posted_at', 'gone')
if comment[6] ~= ARGV[3] or comment[5] or not post[1] or post[2] then return {-2} end
local posted_at, up, down = tonumber(comment[1]), tonumber(comment[2]), tonumber(comment[3])
local closes_at, open = posted_at + ARGV[6], comment[4] and 1 or 0

local voted = redis.call('SMISMEMBER', KEYS[2], person, -person)
local current = voted[1] - voted[2]
if open == 0 and now >= closes_at then return {-1, current, up, down, posted_at, open} end
-- Ended by a clock that was ahead: whoever voted before would count twice.
if first and up + down > 0 then return {-4} end
if current == wanted then return {0, current, up, down, posted_at, open} end

if KEYS[6] then
-- include windows
  local wait = time_to_wait(KEYS[6], tonumber(ARGV[7]), 9)
  if wait > 0 then return {-3, wait} end
  hit(KEYS[6], ARGV[7], ARGV[8], 9)
end

up, down = turn(KEYS[2], person, current, wanted, up, down)
if first and open == 0 then redis.call('EXPIREAT', KEYS[2], closes_at + $VOTERS_GRACE) end
local entry = redis.call('XADD', KEYS[3], '*', 'u', person, 'p', ARGV[3], 'c', ARGV[4],
  'v', wanted, 't', now, 'up', up, 'down', down)
redis.call('HSET', KEYS[1], 'up', up, 'down', down, 'last', entry)
return {1, wanted, up, down, posted_at, open}
