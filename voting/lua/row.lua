-- Reads what a listing shows of posts.
-- ARGV[1..6]: viewer (0: nobody), pattern of a post, what follows it for its voters, shards;
--             the viewer's saved posts, and what they have seen of threads ('': not asked)
local VIEWER, POST, VOTERS, SHARDS = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local SAVED, SEEN = ARGV[5], ARGV[6]
local SEPARATOR = '\31'
local OWN = '%d' .. SEPARATOR .. '%d'

local function post_key(id) return string.format(POST, id % SHARDS, id) end

local function new_rows() return {ids = {}, texts = {}} end

-- Leaves retracted posts out.
local function append_row(rows, id)
  local key = post_key(id)
  local post = redis.call('HMGET', key, 'gone', 'posted_at', 'up', 'down', 'groups', 'comments',
    'views', 'card')
  if post[1] or not post[2] then return end
  local vote = 0
  if VIEWER > 0 then
    local voted = redis.call('SMISMEMBER', key .. VOTERS, VIEWER, -VIEWER)
    vote = voted[1] - voted[2]
  end
  post[1], post[6], post[7] = string.format(OWN, id, vote), post[6] or '0', post[7] or '0'
  local n = #rows.ids + 1
  rows.ids[n], rows.texts[n] = id, table.concat(post, SEPARATOR)
end

-- Returns a text for each row (one is read faster than nine fields): id, vote, posted_at, up, down,
-- groups, comments, views, card with SEPARATOR between. Then for each when the viewer saved it and
-- what they saw of its thread ("time comments since") or nil.
local function viewed(rows)
  if VIEWER == 0 or SAVED == '' or #rows.ids == 0 then return {rows.texts, {}, {}} end
  return {rows.texts, redis.call('ZMSCORE', SAVED, unpack(rows.ids)),
    redis.call('HMGET', SEEN, unpack(rows.ids))}
end
