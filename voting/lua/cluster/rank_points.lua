-- Replaces shared/rank_points.lua on a cluster: the rankings are in another slot.
changed = true
