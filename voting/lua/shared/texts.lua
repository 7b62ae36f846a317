-- Build the texts that parts.lua parses.
local function row_text(posted_at, groups, comments, card)
  return table.concat({posted_at, groups, comments, card}, '\31')
end

-- `start` is '', or a space and a number.
local function tally_text(up, down, start, last) return up .. ' ' .. down .. start .. ' ' .. last end

-- Return the ledger id of the last change.
local function last_of(tally) return string.match(tally, '%S+$') end
