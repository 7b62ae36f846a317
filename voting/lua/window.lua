#!lua
-- Lets one hit of a subject through where all of its windows allow it, and records it then; a
-- refused hit leaves no trace. The same hit again (its name is known) passes again.
-- KEYS: times, texts
-- ARGV: now (ms), name of the hit, digest of its text ('': none), span (ms) in which a text may
--       not come twice, then of each window: hits allowed, span (ms)
-- Returns {time to wait (ms), 1 where the text came before, else 0}
-- include windows
local now, name, digest, span = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('ZSCORE', KEYS[1], name) then return {0, 0} end

local wait, same = time_to_wait(KEYS[1], now, 5), 0
if digest ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - span)
  local before = redis.call('ZSCORE', KEYS[2], digest)
  if before and before - now <= AHEAD then wait, same = math.max(wait, before + span - now), 1 end
end
if wait > 0 then return {wait, same} end

hit(KEYS[1], now, name, 5)
if digest ~= '' then
  redis.call('ZADD', KEYS[2], now, digest)
  redis.call('PEXPIRE', KEYS[2], span)
end
return {0, 0}
