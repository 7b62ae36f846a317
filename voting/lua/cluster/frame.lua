#!lua
-- Run a script on a cluster, using only the slot of its first key, the post. The generation of the
-- post's shard replaces keys in other slots. Instead of writing to rankings, the script returns the
-- post's state, which `rank.lua` then writes to the rankings.
-- KEYS: those of the script
-- ARGV: those of the script; with a rate limit, the number of the daily limit (see
--       daily_votes.lua) and the time to wait (ms) come last
-- Returns {reply of the script, the post's state (see state_of.lua) or nil if it is unchanged}.
local changed, left = false, {}

local function script()
-- include script
end

-- include parts
-- include state_of
local reply = script()
if type(reply) == 'table' and reply.err then return reply end
if not changed then return {reply, false} end
note_change(left)
return {reply, state_of(KEYS[1])}
