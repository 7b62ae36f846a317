-- All bands of `top`, from the band of the newest posts to that of the oldest. Needs prelude.lua.
local BANDS = {DAY, WEEK, MONTH, OLDER}
