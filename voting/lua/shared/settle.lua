-- Remove a post from all bands except the band of the post's age. Needs prelude.lua.
-- include bands
local SWEPT = '$SWEPT'

-- Make the next sweep of a band (see sweep.lua) begin at a post, if it would begin later.
local function note_unswept(band, posted_at)
  local from = redis.call('HGET', SWEPT, band)
  if not from or posted_at < from + 0 then redis.call('HSET', SWEPT, band, posted_at) end
end

-- Remove a post from the other bands after adding it to the band of its age. A post that `new` has
-- dropped stays in the oldest band, because a sweep (see sweep.lua) finds posts only in `new`.
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
