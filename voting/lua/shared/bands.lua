-- All bands of `top`, from the newest posts to the oldest. Needs prelude.lua.
local BANDS = {DAY, WEEK, MONTH, OLDER}
