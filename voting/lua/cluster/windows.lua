-- Replaces shared/windows.lua on a cluster: the person's hits are on another slot and were checked
-- before.

local function time_to_wait() return tonumber(ARGV[#ARGV]) end

local function hit() end
