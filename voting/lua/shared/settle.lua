-- Ends the stay of a post in another band than that of its age. Needs prelude.lua.
-- include bands
local SWEPT = '$SWEPT'

-- Has sweeping a band begin early enough for a post (see sweep.lua).
local function note_unswept(band, posted_at)
  local from = redis.call('HGET', SWEPT, band)
  if not from or posted_at < from + 0 then redis.call('HSET', SWEPT, band, posted_at) end
end

-- Ends the stay of a post, which is in the band of its age since just now, in another band. What
-- `new` has dropped stays in the oldest: sweeping the others follows `new`.
local function settle(beginning, own, member, posted_at, score)
  if own ~= OLDER and not redis.call('ZSCORE', beginning .. 'new', member) then
    redis.call('ZREM', beginning .. own, member)
    redis.call('ZADD', beginning .. OLDER, score, member)
    return
  end
  for _, name in ipairs(BANDS) do
    if name ~= own then redis.call('ZREM', beginning .. name, member) end
  end
  note_unswept(beginning .. own, posted_at)
end
