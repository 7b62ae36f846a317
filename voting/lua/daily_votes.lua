#!lua flags=no-writes
-- Check the limits of a person's votes in the last day on a cluster, where the target is in another
-- slot.
-- KEYS: hits of the person
-- ARGV: now (ms), limits a day (see shared/daily_votes.lua), author of the target
-- Returns {time to wait (ms), number of the limit}; {0, 0} if the vote is allowed.
local times, now, daily, author = KEYS[1], tonumber(ARGV[1]), ARGV[2], ARGV[3]
local wait, hits = 0, math.huge
-- include daily_votes
return {wait, rule}
