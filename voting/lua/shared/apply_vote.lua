-- Set one person's vote in a voter set (KEYS[2]) to `wanted` (1, 0, -1). Needs the locals person,
-- wanted, up and down, and updates up and down. Afterwards, `vote_changed` says whether the vote
-- changed.
local vote_changed = true
-- Add before removing: a set that is empty for a moment loses its expiry.
if wanted ~= 0 and redis.call('SADD', KEYS[2], wanted * person) == 0 then
  vote_changed = false
elseif wanted ~= 1 and up > 0 and redis.call('SREM', KEYS[2], person) == 1 then
  up = up - 1
elseif wanted ~= -1 and down > 0 and redis.call('SREM', KEYS[2], -person) == 1 then
  down = down - 1
else
  vote_changed = wanted ~= 0
end
if vote_changed and wanted == 1 then up = up + 1 end
if vote_changed and wanted == -1 then down = down + 1 end
