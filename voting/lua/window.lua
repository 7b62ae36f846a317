#!lua
-- Record a hit (an action under a rate limit) if all windows allow a hit. A hit whose name is
-- already recorded is a repeated request, and is allowed.
-- KEYS: hits, texts
-- ARGV: now (ms), name of the hit, checksum of its text ('': none), span (ms) in which a text may
--       not be sent twice, then number of allowed hits and span (ms) of each window
-- Returns {time to wait (ms), 1 if the same text was sent before (else 0), number of hits before}.
-- include windows
local now, name, digest, span = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('ZSCORE', KEYS[1], name) then return {0, 0, 0} end

local wait, same = time_to_wait(KEYS[1], now, 5), 0
if digest ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - span)
  local before = redis.call('ZSCORE', KEYS[2], digest)
  if before and before - now <= AHEAD then wait, same = math.max(wait, before + span - now), 1 end
end
if wait > 0 then return {wait, same, hits} end

hit(KEYS[1], now, name, 5)
if digest ~= '' then
  redis.call('ZADD', KEYS[2], now, digest)
  redis.call('PEXPIRE', KEYS[2], span)
end
return {0, 0, hits}
