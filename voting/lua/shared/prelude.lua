-- What every script that ranks begins with: the rules, the clock and where rankings are. WEIGHT is
-- what a vote is worth where the store was not given another number.
-- ARGV[1]: now (s)
local FORMULA, WEIGHT, WINDOW, LIMIT = '$FORMULA', $WEIGHT, $WINDOW, $RANKING_LIMIT
-- Texts count as numbers in arithmetic, but not in comparisons; `tonumber` would take twice as long.
local NOW = ARGV[1] + 0
-- What the keys of rankings begin with; a group's name stands between the last two.
local SITE_RANKINGS, GROUP_RANKINGS, OF_GROUP = '$SITE_RANKINGS', '$GROUP_RANKINGS', '$OF_GROUP'
-- A scope's `top` is kept in bands by age: each post is in one, so that a vote writes one.
local DAY, WEEK, MONTH, OLDER = 'top:day', 'top:week', 'top:month', 'top:older'
-- What a point weighs in `top` (see voting/scores.py): more than any posting time.
local POINT = 8589934592
