-- Takes apart the texts in which the hash of a post or comment keeps what is read together: to read
-- one field costs a third of what eight cost. `tally` is "up down last", the last a ledger id; `row`
-- is posted_at, groups (space-separated), comments and card of a post, with \31 between. The row of
-- a retracted post is in `gone`.

-- Returns posted_at, groups, and where they end.
local function row_parts(row) return string.match(row, '^(%d+)\31([^\31]*)()') end

-- Returns up and down.
local function tally_parts(tally) return string.match(tally, '^(%d+) (%d+)') end
