#!lua
-- Write a post's state to every ranking, unless the rankings have a newer state. The second step of
-- a change on a cluster.
-- KEYS: seen, generation of the rankings, posts of the author
-- ARGV: now (s), post id, member, life of seen (s), 1 if a rebuild fills the closed store, 1 to
--       write all places again, even if they are the same, the post's state (see state_of.lua)
-- Returns 1, or 0 if a newer state is known.
-- include prelude
-- include scopes
-- include rank_views
-- include place
local id, member, life, filling = ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
local anew, stamp, posted_at = ARGV[6] == '1', ARGV[7], tonumber(ARGV[8])
local points, groups, was, commented_at = tonumber(ARGV[9]), ARGV[10], ARGV[11], ARGV[12]
local views, gone = tonumber(ARGV[13]), ARGV[15] == '1'
if not filling and redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.error_reply('EMPTY generation')
end

-- These values decide which rankings have the post. Votes, the most frequent changes, don't change
-- them.
local whereabouts = table.concat({posted_at, groups, was, commented_at, ARGV[15]}, '/')
local seen = redis.call('HMGET', KEYS[1], 'stamp', 'whereabouts')
if seen[1] and tonumber(seen[1]) > tonumber(stamp) then return 0 end
redis.call('HSET', KEYS[1], 'stamp', stamp, 'whereabouts', whereabouts)
redis.call('EXPIRE', KEYS[1], life)

if seen[2] == whereabouts and not gone and not anew then
  -- include rank_points
  rank_views(member, posted_at, views, groups)
  return 1
end
for name in string.gmatch(was, '%S+') do leave(name, id, member) end
if gone then
  for _, scope in ipairs(scopes(groups)) do leave(scope, id, member) end
  leave_author(KEYS[3], member)
else
  place(id, member, {posted_at = posted_at, points = points, groups = groups,
    commented_at = tonumber(commented_at), views = views})
  place_author(KEYS[3], member, posted_at)
end
return 1
