#!lua
-- Runs a script on the slot of its post alone, for a cluster. Its first key is the post's, and keys
-- of other slots stand for their own shard's generation. Instead of writing rankings it tells what
-- they must make of the post, for `rank.lua`.
-- KEYS, ARGV: those of the script; where changes are limited, the time to wait (ms) comes last
-- Returns {what the script returns, the post's state (see state_of.lua) or nil where it is as before}.
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
