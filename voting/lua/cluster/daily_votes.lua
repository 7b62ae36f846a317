-- Replaces shared/daily_votes.lua on a cluster, where an earlier step has checked the limits.
local rule = tonumber(ARGV[#ARGV - 1])
