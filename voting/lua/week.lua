#!lua
-- Builds a week's board unless a fresh one is there: whoever is among the first of one of its days,
-- with their points of all seven. The union of whole days would stall the server where days are
-- long. Its end is set once, when it is built: were it moved by readers, a board that is read often
-- would never be fresh.
-- KEYS: week, generation of the rankings, boards of the days
-- ARGV: life (s), lines taken of each day
-- Returns 1 where it was built, 0 where it was there.
-- include fresh
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end
if fresh(KEYS[1], ARGV[1]) then return 0 end
local AT_ONCE = 1000 -- of the subjects: some thousands are more than `unpack` takes

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
