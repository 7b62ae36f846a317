#!lua flags=no-writes
-- Read a page of one or several rankings, with the rows of its posts.
-- KEYS: generation of the rankings, rankings
-- ARGV: row patterns (see row.lua), start (rank from 0), rows of a page, 1 for best first, keys of
--       what the viewer hides (see hiding.lua), key of the viewer's unread counts ('' for guests),
--       then score and member of a cursor ('' for none; with a cursor, the page starts after the
--       cursor instead)
-- Returns {size of the ranking, rank at which the next page starts, rows (see row.lua), unread
--         counts (see unread.lua), member and score of the last post checked, if any}.
-- include row
-- include merged
-- include ranked
-- include cursor
-- include parts
-- include hiding
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('EMPTY generation') end
local size, best_first = tonumber(ARGV[8]), ARGV[9] == '1'
local rankings = {unpack(KEYS, 2)}
local start = start_of(rankings, tonumber(ARGV[7]), ARGV[14], ARGV[15], best_first)

local total = size_of(rankings)
local rows, rank, most, last = new_rows(), start, start + size + SCANNED, nil
while #rows.ids < size and rank < math.min(total, most) do
  local members, some = members_of(rankings, rank, size, best_first), {}
  if #members == 0 then break end
  for i, member in ipairs(members) do some[i] = tonumber(member) end
  local hidden = hidden_ones(some)
  for i, id in ipairs(some) do
    if #rows.ids == size then break end
    rank, last = rank + 1, members[i]
    if not hidden[i] then append_row(rows, id) end
  end
end
local ended = last and {last, score_of(rankings, last)} or {}
local unread = ARGV[13] ~= '' and redis.call('HGETALL', ARGV[13]) or {}
return {total, rank, viewed(rows), unread, ended}
