-- Sliding windows of one subject: how long until one more hit fits, and the hit itself.
-- `times` is a ZSET of hits by time (ms); `first` says where in ARGV the windows begin, each as
-- hits allowed and span (ms), up to the end of ARGV.
local hits = 0
local AHEAD = 60000 -- ms by which two clocks may differ

-- Returns the time to wait (ms), 0 where a hit fits now: the hit that fills a window must leave it.
-- One that has yet to come was noted while the clock was wrong; nobody waits until that time.
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

-- Records a hit under a name of its own, after `time_to_wait`, and keeps no more hits than the
-- windows look back on.
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
