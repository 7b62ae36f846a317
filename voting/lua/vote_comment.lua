#!lua
-- Set one person's vote on a comment, and update tally and ledger.
-- KEYS: comment, voter set, ledger, post, generation of the shard, with a rate limit: hits of the
--       person
-- ARGV: person, wanted vote (1, 0, -1), post id, change (see record.lua), now (s), voting window
--       (s), newcomer (see new_place.lua), with a rate limit: now (ms), name of the hit, limits a day
--       (see daily_votes.lua), windows (see windows.lua)
-- Returns "outcome vote up down posted_at endless", where outcome is 1 (changed), 0 (unchanged) or
--         -1 (voting has closed), vote is "vote:until" if it doesn't count (see apply_vote.lua), and
--         endless is 1 if voting never ends; "-2" for an unknown or retracted comment or post;
--         "-3 wait rule" over a limit, with the time to wait (ms) and the rule; "-4" if there are votes but no
--         voter set.
-- include parts
local person, wanted, change = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[4]
local NOW, newcomer = ARGV[5] + 0, ARGV[7]
local no_voters = redis.call('EXISTS', KEYS[5], KEYS[2]) < 2
if no_voters and redis.call('EXISTS', KEYS[5]) == 0 then
  return redis.error_reply('EMPTY generation')
end

local comment = redis.call('HMGET', KEYS[1], 'post', 'posted_at', 'tally', 'open', 'gone', 'uncounted',
  'author')
local shown = redis.call('HEXISTS', KEYS[4], 'row') == 1
if not shown or comment[1] ~= ARGV[3] or comment[5] then return '-2' end
local up, down, start = string.match(comment[3], TALLY)
local closes_at, endless = comment[2] + ARGV[6], comment[4]
local standing = comment[2] .. (endless and ' 1' or ' 0')
up, down = up + 0, down + 0
local has_uncounted, author = comment[6], comment[7] or ''

if not endless and NOW >= closes_at then
  -- include vote_of
  return string.format('-1 %d %d %d %s', vote_of(KEYS[2], person), up, down, standing)
end
-- The voter set expired early because a clock was ahead. Its voters could vote a second time.
if no_voters and up + down > 0 then return '-4' end
local record_hit
if KEYS[6] then
  -- include windows
  record_hit = hit
  local wait = time_to_wait(KEYS[6], tonumber(ARGV[8]), 11)
  local times, now, daily = KEYS[6], tonumber(ARGV[8]), ARGV[10]
  -- include daily_votes
  if wait > 0 then
    -- include vote_of
    if vote_of(KEYS[2], person) ~= wanted then return '-3 ' .. wait .. ' ' .. rule end
  end
end

-- include apply_vote
local vote = counts_at and ARGV[2] .. ':' .. counts_at or ARGV[2]
if not vote_changed then return string.format('0 %s %d %d %s', vote, up, down, standing) end
if KEYS[6] then
  record_hit(KEYS[6], ARGV[8], string.format('%s:%s:%d', ARGV[9], author, wanted), 11)
end
if no_voters and not endless then redis.call('EXPIREAT', KEYS[2], closes_at + $VOTERS_GRACE) end
-- include record
return '1 ' .. vote .. ' ' .. counted .. ' ' .. standing
