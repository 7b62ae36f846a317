-- Sliding windows of a rate limit: compute the time to wait until another hit (an action) is
-- allowed, and record a hit. `times` is a ZSET of a subject's hits by time (ms). ARGV has the
-- windows from `first` to the end, each as number of allowed hits and span (ms).
local hits = 0
local AHEAD = 60000 -- ms by which two clocks may differ

-- Return the time to wait (ms) until no window is full; 0 if a hit is allowed now. Remove hits in
-- the future, which were recorded while the clock was wrong.
local function time_to_wait(times, now, first)
  local wait = 0
  hits = redis.call('ZCARD', times)
  for i = first, #ARGV, 2 do
    local allowed, span = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
    if hits >= allowed then
      local filling = redis.call('ZRANGE', times, -allowed, -allowed, 'WITHSCORES')[2]
      if filling - now > AHEAD then
        redis.call('ZREMRANGEBYSCORE', times, now + AHEAD, '+inf')
        return time_to_wait(times, now, first)
      end
      wait = math.max(wait, filling + span - now)
    end
  end
  return wait
end

-- Record a hit under its name (call `time_to_wait` first); drop hits that no window needs.
local function hit(times, now, name, first)
  local most, longest = 0, 0
  for i = first, #ARGV, 2 do
    most = math.max(most, tonumber(ARGV[i]))
    longest = math.max(longest, tonumber(ARGV[i + 1]))
  end
  redis.call('ZADD', times, now, name)
  if hits >= most then redis.call('ZREMRANGEBYRANK', times, 0, -most - 1) end
  redis.call('PEXPIRE', times, longest)
end
