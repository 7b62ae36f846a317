-- Replaces shared/rank_points.lua on a cluster: the rankings are on another slot.
changed = true
