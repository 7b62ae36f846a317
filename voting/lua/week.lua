#!lua
-- Build a week's leaderboard, unless a fresh one is cached, from the posts (or people) in the top
-- lines of each day, with their points of all seven days. All lines would block the server for
-- long.
-- KEYS: week, generation of the rankings, leaderboards of the days
-- ARGV: life (s), lines taken from each day
-- Returns 1 if the leaderboard was built, 0 if it was cached.
-- include fresh
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
if fresh(KEYS[1], ARGV[1]) then return 0 end
local AT_ONCE = 1000 -- `unpack` can't take 8,000 values

local subjects, sums = {}, {}
for day = 3, #KEYS do
  for _, subject in ipairs(redis.call('ZRANGE', KEYS[day], 0, ARGV[2] - 1, 'REV')) do
    if not sums[subject] then
      sums[subject] = 0
      subjects[#subjects + 1] = subject
    end
  end
end

for first = 1, #subjects, AT_ONCE do
  local some, scored = {unpack(subjects, first, math.min(first + AT_ONCE - 1, #subjects))}, {}
  for day = 3, #KEYS do
    for i, points in ipairs(redis.call('ZMSCORE', KEYS[day], unpack(some))) do
      if points then sums[some[i]] = sums[some[i]] + points end
    end
  end
  for i, subject in ipairs(some) do scored[2 * i - 1], scored[2 * i] = sums[subject], subject end
  redis.call('ZADD', KEYS[1], unpack(scored))
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
