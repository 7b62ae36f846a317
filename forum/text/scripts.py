"""The characters of some writing systems, as ranges for the `[]` of a regular expression."""

LATIN = "0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
"""Letters and digits of words in Latin script."""

CHINESE_JAPANESE = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uff9f\uffe0-\uffe6\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Han characters, kana and bopomofo with their punctuation and full-width forms."""

HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
"""Korean letters. Korean has spaces, but particles follow a word or URL without one."""

SOUTH_EAST_ASIAN = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff"
"""Thai, Lao, Tibetan, Burmese and Khmer, which have no spaces between words."""

UNSPACED = CHINESE_JAPANESE + HANGUL + SOUTH_EAST_ASIAN
"""Scripts in which a word may follow a URL without a space."""
