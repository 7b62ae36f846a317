-- Steps that bring one person's state in a voter set (KEYS[2]) to `wanted` (1, 0, -1). They need the
-- locals person, wanted, and the votes up and down, which they keep right; `vote_changed` is false where
-- the state was so before. Where nobody voted so, nobody is looked for.
local vote_changed = true
-- Added before removed: a set that was empty for a moment would have lost its time to live.
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
