-- In place of rerank.lua: the rankings are on another slot.
changed = true
