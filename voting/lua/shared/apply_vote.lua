-- Set one person's vote in a voter set (KEYS[2]) to `wanted` (1, 0, -1). Needs the locals person,
-- wanted, up, down, newcomer (see new_place.lua) and has_uncounted (the target's field `uncounted`),
-- and updates up and down. Afterwards, `vote_changed` says whether the vote changed, and `counts_at`
-- is nil or false if the vote counts, '0' if it is void, else the time (s) until which it waits.
local vote_changed, call = true, redis.call
local counts_at = has_uncounted and call('HGET', KEYS[1] .. '$UNCOUNTED_SUFFIX', person)
local worth = counts_at and 0 or 1
-- Add before removing: a set that is empty for a moment loses its expiry.
if wanted ~= 0 and call('SADD', KEYS[2], wanted * person) == 0 then
  vote_changed = false
elseif wanted ~= 1 and (up > 0 or counts_at) and call('SREM', KEYS[2], person) == 1 then
  up = up - worth
elseif wanted ~= -1 and (down > 0 or counts_at) and call('SREM', KEYS[2], -person) == 1 then
  down = down - worth
else
  vote_changed = wanted ~= 0
  if vote_changed and newcomer ~= '' and not counts_at then
    -- include new_place
  end
end
if vote_changed and wanted == 0 and (newcomer ~= '' or counts_at) then
  -- include leave_place
end
if vote_changed and wanted == 1 then up = up + worth end
if vote_changed and wanted == -1 then down = down + worth end
