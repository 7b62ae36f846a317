-- Read rows of posts.
-- ARGV[1..6]: viewer (0: guest), key pattern of a post, key suffix of its voter set, number of
--             shards, keys of the viewer's saved posts and seen threads ('' for guests)
local VIEWER, POST, VOTERS, SHARDS = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local SAVED, SEEN = ARGV[5], ARGV[6]
-- The beginning of a row's text; the rest is appended, since '%s' would end at a zero byte.
local BEGINNING = table.concat({'%d', '%s', '%s', '%s', ''}, '\31')

-- include vote_of

local function post_key(id) return string.format(POST, id % SHARDS, id) end

local function new_rows() return {ids = {}, texts = {}} end

-- Add a post's row, unless it is retracted.
local function append_row(rows, id)
  local key = post_key(id)
  local post = redis.call('HMGET', key, 'row', 'tally', 'views', 'uncounted')
  if not post[1] then return end
  local vote = VIEWER > 0 and vote_of(key .. VOTERS, VIEWER) or 0
  local counts_at = post[4] and vote ~= 0 and redis.call('HGET', key .. '$UNCOUNTED_SUFFIX', VIEWER)
  if counts_at then vote = vote .. ':' .. counts_at end
  local n = #rows.ids + 1
  rows.ids[n] = id
  rows.texts[n] = string.format(BEGINNING, id, vote, post[2], post[3] or '0') .. post[1]
end

-- Return a text for each row: id, vote ("vote:until" if it doesn't count, see apply_vote.lua), tally,
-- views and row (see parts.lua), separated by \31. One text is read faster than five fields. Also return two lists of the viewer's marks: when each post
-- was saved, and the last visit to the post's thread ("time comments since"). Posts without a mark
-- have nil. A list is empty if the viewer has no such marks.
local function viewed(rows)
  local function marks(command, key)
    if key == '' or #rows.ids == 0 or redis.call('EXISTS', key) == 0 then return {} end
    return redis.call(command, key, unpack(rows.ids))
  end
  return {rows.texts, marks('ZMSCORE', SAVED), marks('HMGET', SEEN)}
end
