-- Write a post's views to the rankings of the site and of the post's groups. Needs prelude.lua
-- and scopes.lua.
local function rank_views(member, posted_at, views, groups)
  local score = views * POINT + posted_at
  for _, scope in ipairs(scopes(groups)) do
    redis.call('ZADD', ranking(scope, 'views'), score, member)
  end
end
