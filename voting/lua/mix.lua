#!lua
-- Build the ranking of a mix of groups unless a fresh one is cached.
-- KEYS: mix, cached mixes, generation of the rankings, then for each group its set and its rankings
--       (one, or several that are read as one)
-- ARGV: operator (+ & ~), 1 for best first, life (s), now (s), most posts taken from a ranking,
--       most cached mixes, number of rankings of a group
-- Returns 1 if the ranking was built, 0 if it was cached.
-- include fresh
-- include merged
if redis.call('EXISTS', KEYS[3]) == 0 then return redis.error_reply('EMPTY generation') end
if fresh(KEYS[1], ARGV[3]) then return 0 end
local operator, now, depth = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local FIRST, STEP = 4, 1 + tonumber(ARGV[7])
local AT_ONCE = 2000 -- `unpack` can't take 8,000 values

-- Return the first `depth` posts of a group (some more if the group has several rankings), each
-- followed by its score.
local function best(index)
  local rankings = {unpack(KEYS, index + 1, index + STEP - 1)}
  return (around(rankings, 0, depth - 1, ARGV[2] == '1'))
end

local function add(found)
  local scored = {}
  for i = 1, #found, 2 do scored[i], scored[i + 1] = found[i + 1], found[i] end
  for i = 1, #scored, AT_ONCE do
    redis.call('ZADD', KEYS[1], unpack(scored, i, math.min(i + AT_ONCE - 1, #scored)))
  end
end

-- Return the found posts that are in every other group (wanted 1), or in no other group (wanted 0).
local function tested(found, driver, wanted)
  for index = FIRST, #KEYS, STEP do
    if index ~= driver and #found > 0 then
      local ids, kept = {}, {}
      for i = 1, #found, 2 do ids[#ids + 1] = tonumber(found[i]) end
      for i, held in ipairs(redis.call('SMISMEMBER', KEYS[index], unpack(ids))) do
        if held == wanted then
          kept[#kept + 1], kept[#kept + 2] = found[2 * i - 1], found[2 * i]
        end
      end
      found = kept
    end
  end
  return found
end

redis.call('ZREM', KEYS[2], KEYS[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
while redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) do
  redis.call('UNLINK', redis.call('ZPOPMIN', KEYS[2])[1])
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), KEYS[1])

if operator == '+' then
  for index = FIRST, #KEYS, STEP do add(best(index)) end
elseif operator == '~' then
  add(tested(best(FIRST), FIRST, 0))
else
  local driver, fewest = FIRST, math.huge
  for index = FIRST, #KEYS, STEP do
    local size = redis.call('SCARD', KEYS[index])
    if size < fewest then driver, fewest = index, size end
  end
  add(tested(best(driver), driver, 1))
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
