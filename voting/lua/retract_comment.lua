#!lua
-- Close a comment to votes and remove it from the post's newest comments. Tally and voter set stay.
-- KEYS: comment, generation of the shard, newest comments, their cards
-- ARGV: comment id, version
-- Returns 1, or 0 if a newer version is known.
local LATEST, TEXTS, KEPT, LIFE = KEYS[3], KEYS[4], 0, 0
-- include latest
if redis.call('EXISTS', KEYS[2]) == 0 then return redis.error_reply('EMPTY generation') end

local latest = tonumber(redis.call('HGET', KEYS[1], 'version')) or 0
if tonumber(ARGV[2]) < latest then return 0 end
redis.call('HSET', KEYS[1], 'gone', 1, 'version', ARGV[2])
drop_latest(ARGV[1])
return 1
