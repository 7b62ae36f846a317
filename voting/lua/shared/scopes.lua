-- Scopes: the site and groups, each with rankings of its own. Needs prelude.lua.
local SITE = ''

local function ranking(scope, order)
  if scope == SITE then return SITE_RANKINGS .. order end
  return GROUP_RANKINGS .. scope .. OF_GROUP .. order
end

-- Return the site and each group in a text of groups separated by spaces.
local function scopes(groups)
  local list = {SITE}
  for name in string.gmatch(groups, '%S+') do list[#list + 1] = name end
  return list
end
