-- Replaces shared/place.lua on a cluster: the rankings are in another slot.

local function place() changed = true end

local function leave(scope)
  changed = true
  if scope ~= SITE then left[#left + 1] = scope end
end

local function place_author() changed = true end

local function leave_author() end
