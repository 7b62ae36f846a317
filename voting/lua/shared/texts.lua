-- Build the texts that parts.lua parses.
local function row_text(posted_at, groups, comments, card)
  return table.concat({posted_at, groups, comments, card}, '\31')
end

local function tally_text(up, down, last) return up .. ' ' .. down .. ' ' .. last end

-- Return the ledger id of the last change.
local function last_of(tally) return string.match(tally, '%S+$') end
