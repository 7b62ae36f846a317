-- In place of rank_points.lua: the rankings are on another slot.
changed = true
