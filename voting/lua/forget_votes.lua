#!lua
-- Delete the votes on a retracted post or comment, before other votes are loaded from SQL.
-- KEYS: post or comment, voter set
-- Returns 1, or 0 if the post or comment isn't retracted.
if redis.call('HEXISTS', KEYS[1], 'gone') == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'tally', 'posted_at', 'uncounted') -- inspections of comments need both or none
redis.call('UNLINK', KEYS[2], KEYS[1] .. '$UNCOUNTED_SUFFIX', KEYS[1] .. '$NEW_SUFFIX')
return 1
