#!lua
-- Set one person's vote on a post, and update tally, rankings and ledger.
-- KEYS: post, voter set, ledger, generation of the shard, generation of the rankings, with a rate
--       limit: hits of the person
-- ARGV: now (s), person, wanted vote (1, 0, -1), change (see record.lua), member, newcomer (see
--       new_place.lua), with a rate limit: now (ms), name of the hit, limits a day
--       (see daily_votes.lua), windows (see windows.lua)
-- Returns a text, which is read faster than six numbers: "outcome vote up down posted_at start",
--         where outcome is 1 (changed), 0 (unchanged) or -1 (voting has closed), vote is "vote:until"
--         if it doesn't count (see apply_vote.lua), and start is missing without starting points;
--         "-2" for an unknown or retracted post; "-3 wait rule" over a limit, with the time to wait (ms)
--         and the rule; "-4" if there are votes but no voter set.
-- include prelude
-- include parts
local person, wanted, change, member = ARGV[2] + 0, ARGV[3] + 0, ARGV[4], ARGV[5]
-- One EXISTS checks all three keys, because the voter set nearly always exists.
local no_voters = redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[2]) < 3
if no_voters and redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then
  return redis.error_reply('EMPTY generation')
end

-- Only limits need the author, and each field that is read takes time.
local post = KEYS[6] and redis.call('HMGET', KEYS[1], 'row', 'tally', 'uncounted', 'author')
  or redis.call('HMGET', KEYS[1], 'row', 'tally', 'uncounted')
if not post[1] then return '-2' end
local since, groups = string.match(post[1], ROW)
local up, down, start = string.match(post[2], TALLY)
local posted_at = since + 0
up, down = up + 0, down + 0
local newcomer, has_uncounted, author = ARGV[6], post[3], post[4] or ''

if NOW >= posted_at + WINDOW then
  -- include vote_of
  return string.format('-1 %d %d %d %s', vote_of(KEYS[2], person), up, down, since .. start)
end
-- The voter set expired early because a clock was ahead. Its voters could vote a second time.
if no_voters and up + down > 0 then return '-4' end
-- Check the limit in the same script as the vote: this is exact and saves a round trip.
local record_hit
if KEYS[6] then
  -- include windows
  record_hit = hit
  local wait = time_to_wait(KEYS[6], tonumber(ARGV[7]), 10)
  local times, now, daily = KEYS[6], tonumber(ARGV[7]), ARGV[9]
  -- include daily_votes
  if wait > 0 then
    -- include vote_of
    if vote_of(KEYS[2], person) ~= wanted then return '-3 ' .. wait .. ' ' .. rule end
  end
end

-- include apply_vote
local vote = counts_at and ARGV[3] .. ':' .. counts_at or ARGV[3]
if not vote_changed then return string.format('0 %s %d %d %s', vote, up, down, since .. start) end
if KEYS[6] then
  record_hit(KEYS[6], ARGV[7], string.format('%s:%s:%d', ARGV[8], author, wanted), 10)
end
if no_voters then redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + $VOTERS_GRACE) end
-- include record
local points = up - down + (start == '' and 0 or start)
-- include rank_points
return '1 ' .. vote .. ' ' .. counted .. ' ' .. since .. start
