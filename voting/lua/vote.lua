#!lua
-- Brings one person's vote on a post to a wanted state, with tallies, rankings and ledger.
-- KEYS: post, voters, ledger, generation of the shard, generation of the rankings,
--       where changes are limited: times of the person's window
-- ARGV: ground (see ground.lua), person, wanted (1, 0, -1), post id, member,
--       where changes are limited: now (ms), name of the hit, windows (see windows.lua)
-- Returns {outcome, vote, up, down, posted_at}; outcome: 1 changed, 0 unchanged, -1 closed;
--         or {-2} where no such post is open to readers; or {-3, time to wait (ms)};
--         or {-4} where there are votes and the voters are gone.
-- include ground
-- include rerank
-- include turn
local person, wanted, id, member = ARGV[6] + 0, ARGV[7] + 0, ARGV[8], ARGV[9]
-- One question, so that it costs no command more to know of the voters: they are nearly always there.
local first = redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[2]) < 3
if first and redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then
  return redis.error_reply('EMPTY generation')
end

local post = redis.call('HMGET', KEYS[1], 'posted_at', 'up', 'down', 'groups', 'gone')
if not post[1] or post[5] then return {-2} end
local posted_at, up, down = post[1] + 0, post[2] + 0, post[3] + 0

local voted = redis.call('SMISMEMBER', KEYS[2], person, -person)
local current = voted[1] - voted[2]
if NOW >= posted_at + WINDOW then return {-1, current, up, down, posted_at} end
-- Ended by a clock that was ahead: whoever voted before would count twice.
if first and up + down > 0 then return {-4} end
if current == wanted then return {0, current, up, down, posted_at} end

-- In the same step as the vote: exact, and no second round trip.
if KEYS[6] then
-- include windows
  local wait = time_to_wait(KEYS[6], tonumber(ARGV[10]), 12)
  if wait > 0 then return {-3, wait} end
  hit(KEYS[6], ARGV[10], ARGV[11], 12)
end

up, down = turn(KEYS[2], person, current, wanted, up, down)
if first then redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + $VOTERS_GRACE) end
local entry = redis.call('XADD', KEYS[3], '*',
  'u', person, 'p', id, 'v', wanted, 't', NOW, 'up', up, 'down', down)
redis.call('HSET', KEYS[1], 'up', up, 'down', down, 'last', entry)
rerank(member, posted_at, up - down, post[4])
return {1, wanted, up, down, posted_at}
