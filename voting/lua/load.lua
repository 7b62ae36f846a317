#!lua
-- Load a post from SQL into Redis. Its voters are already in a temporary set.
-- KEYS: post, voter set, temporary voter set, generation of the shard, generation of the rankings,
--       posts of the author
-- ARGV: now (s), post id, member, author, posted_at, version, card, groups, number of comments,
--       time of the last comment (s; 0: none), up, down, views, size of the temporary voter set, 1
--       if a rebuild fills the closed store, the ledger id of the last change that the record from
--       SQL includes ('' if a post that Redis already has must not be replaced), starting points,
--       number of uncounted votes, places of new accounts (see load_uncounted.lua)
-- Returns 1 if the post was loaded; 0 if Redis has the post and must not replace it, or has a newer
--         version or a later change; -1, with nothing done, if the temporary voter set is
--         incomplete.
-- include prelude
-- include scopes
-- include place
-- include parts
-- include texts
local id, member, author, posted_at = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local groups, comments, commented_at = ARGV[8], ARGV[9], tonumber(ARGV[10])
local up, down, views = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local voters, filling, start = tonumber(ARGV[14]), ARGV[15] == '1', tonumber(ARGV[17])
if not filling and redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then
  redis.call('UNLINK', KEYS[3])
  return redis.error_reply('EMPTY generation')
end

local known = redis.call('HMGET', KEYS[1], 'tally', 'version', 'row', 'gone', 'views')
local last = known[1] and last_of(known[1])
if (known[1] and last ~= ARGV[16]) or (tonumber(known[2]) or 0) > tonumber(ARGV[6]) then
  redis.call('UNLINK', KEYS[3])
  return 0
end
-- A replica that has just become master may lack some voters, who could then vote twice.
if redis.call('SCARD', KEYS[3]) ~= voters then return -1 end
if redis.call('HLEN', KEYS[3] .. '$UNCOUNTED_SUFFIX') ~= tonumber(ARGV[18]) then return -1 end
if known[1] then
  views = math.max(views, tonumber(known[5] or 0))
  local _, was = string.match(known[3] or known[4], ROW)
  for _, scope in ipairs(scopes(was)) do leave(scope, id, member) end
  redis.call('UNLINK', KEYS[2])
end
redis.call('HDEL', KEYS[1], 'gone')
redis.call('HSET', KEYS[1], 'author', author, 'version', ARGV[6],
  'row', row_text(posted_at, groups, comments, ARGV[7]),
  'tally', tally_text(up, down, start == 0 and '' or ' ' .. start, last or '0-0'),
  'commented_at', commented_at, 'views', views)
if voters > 0 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + $VOTERS_GRACE)
end
local expires_at, places = posted_at + WINDOW + $VOTERS_GRACE, ARGV[19]
-- include load_uncounted
place(id, member, {posted_at = posted_at, points = up - down + start, groups = groups,
  commented_at = commented_at, views = views})
place_author(KEYS[6], member, posted_at)
return 1
