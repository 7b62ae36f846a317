#!lua
-- Create or update a post. A new post opens voting with its author's up vote.
-- KEYS: post, voter set, ledger, generation of the shard, generation of the rankings,
--       posts of the author
-- ARGV: now (s), post id, member, author, posted_at, version, card, groups, number of comments,
--       time of the last comment (s; 0: none)
-- Returns 1, or 0 if a newer version is known.
-- include prelude
-- include scopes
-- include place
-- include parts
-- include texts
local id, member, author, posted_at = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local version, groups, commented_at = tonumber(ARGV[6]), ARGV[8], tonumber(ARGV[10])
if redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then return redis.error_reply('EMPTY generation') end

local known = redis.call('HMGET', KEYS[1], 'version', 'tally', 'row', 'gone', 'views')
if known[1] and tonumber(known[1]) > version then return 0 end

local up, down, start = 1, 0, ''
if not known[2] then
  redis.call('SADD', KEYS[2], author)
  redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + $VOTERS_GRACE)
  redis.call('HSET', KEYS[1], 'author', author)
  local change, counts_at = table.concat({author, id, 0, 1, NOW}, ' '), nil
  -- include record
else
  local first_at, was = string.match(known[3] or known[4], ROW)
  posted_at, up, down, start = tonumber(first_at), string.match(known[2], TALLY)
  local kept = ' ' .. groups .. ' '
  for name in string.gmatch(was, '%S+') do
    if not string.find(kept, ' ' .. name .. ' ', 1, true) then leave(name, id, member) end
  end
end
redis.call('HSET', KEYS[1], 'version', version, 'commented_at', commented_at,
  'row', row_text(posted_at, groups, ARGV[9], ARGV[7]))
redis.call('HDEL', KEYS[1], 'gone')
local points = up - down + (start == '' and 0 or start)
place(id, member, {posted_at = posted_at, points = points, groups = groups,
  commented_at = commented_at, views = tonumber(known[5] or 0)})
place_author(KEYS[6], member, posted_at)
return 1
