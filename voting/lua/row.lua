-- Reads what a listing shows of posts.
-- ARGV[1..6]: viewer (0: nobody), pattern of a post, what follows it for its voters, shards;
--             the viewer's saved posts, and what they have seen of threads ('': not asked)
local VIEWER, POST, VOTERS, SHARDS = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local SAVED, SEEN = ARGV[5], ARGV[6]

local function post_key(id) return string.format(POST, id % SHARDS, id) end

local function new_rows() return {ids = {}, fields = {}} end

-- Leaves retracted posts out.
local function append_row(rows, id)
  local key = post_key(id)
  local post = redis.call('HMGET', key, 'posted_at', 'up', 'down', 'groups', 'card', 'comments',
    'views', 'gone')
  if not post[1] or post[8] then return end
  local vote = 0
  if VIEWER > 0 then
    local voted = redis.call('SMISMEMBER', key .. VOTERS, VIEWER, -VIEWER)
    vote = voted[1] - voted[2]
  end
  rows.ids[#rows.ids + 1] = id
  local fields, n = rows.fields, #rows.fields
  fields[n + 1], fields[n + 2], fields[n + 3], fields[n + 4] = id, post[1], post[2], post[3]
  fields[n + 5], fields[n + 6], fields[n + 7], fields[n + 8] = post[4], post[5], post[6] or '0',
    post[7] or '0'
  fields[n + 9] = vote
end

-- Returns {id, posted_at, up, down, groups, card, comments, views, vote for each row}, then for
-- each when the viewer saved it and what they saw of its thread ("time comments since") or nil.
local function viewed(rows)
  if VIEWER == 0 or SAVED == '' or #rows.ids == 0 then return {rows.fields, {}, {}} end
  return {rows.fields, redis.call('ZMSCORE', SAVED, unpack(rows.ids)),
    redis.call('HMGET', SEEN, unpack(rows.ids))}
end
