-- How `string.match` takes apart the texts in which the hash of a post or comment keeps what is read
-- together: to read one field costs a third of what eight cost. The row of a retracted post is in
-- `gone`.

-- `row` is posted_at, groups (space-separated), comments and card of a post, with \31 between. Gives
-- posted_at, groups, and where they end.
local ROW = '^(%d+)\31([^\31]*)()'

-- `tally` is "up down last", the last a ledger id. Gives up and down.
local TALLY = '^(%d+) (%d+)'
