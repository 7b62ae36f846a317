-- Replaces shared/rank_views.lua on a cluster: the rankings are in another slot.

local function rank_views() changed = true end
