-- Patterns that parse the texts in the hash of a post or comment. Several values are in one text,
-- because reading one field takes a third of the time of eight. A retracted post has its row in
-- `gone`, with an empty card.

-- `row` is posted_at, groups (separated by spaces), comments and card of a post, separated by \31.
-- Matches posted_at, groups, and where they end.
local ROW = '^(%d+)\31([^\31]*)()'
-- Matches comments of `row`.
local COMMENTS = '^%d+\31[^\31]*\31(%d+)'

-- `tally` is "up down last", or "up down start last" for a post with starting points. last is a
-- ledger id. Matches up, down, and start: '', or a space and a number.
local TALLY = '^(%d+) (%d+)(.-) %S+$'
