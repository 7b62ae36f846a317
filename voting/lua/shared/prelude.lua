-- The beginning of every script that ranks posts: rules, clock and keys of rankings. WEIGHT is the
-- vote value if the store has no other vote value.
-- ARGV[1]: now (s)
local FORMULA, WEIGHT, WINDOW, LIMIT = '$FORMULA', $WEIGHT, $WINDOW, $RANKING_LIMIT
-- Arithmetic turns a text into a number; `tonumber` takes twice as long.
local NOW = ARGV[1] + 0
-- The beginnings of the keys of rankings; a group's name is between the last two.
local SITE_RANKINGS, GROUP_RANKINGS, OF_GROUP = '$SITE_RANKINGS', '$GROUP_RANKINGS', '$OF_GROUP'
-- `top` is split into bands by age. Each post is in one band, so that a vote writes to one ranking.
local DAY, WEEK, MONTH, OLDER = 'top:day', 'top:week', 'top:month', 'top:older'
-- The weight of a point in `top` (see voting/scores.py): more than any posting time.
local POINT = 8589934592
