"""Checks logo files that owners upload: only complete PNG files of a moderate size are allowed."""

import zlib
from struct import unpack

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

LARGEST = 100 * 1024
"""Maximum size of a logo, in bytes."""
WIDEST = 1_024
"""Maximum width and height of a logo, in pixels."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def check(logo: bytes) -> None:
    """Raise ValidationError, with a message, if a file is not allowed as a logo."""
    if len(logo) > LARGEST:
        raise ValidationError(_("The logo must be a file of at most 100 kB."))
    if not _is_whole(logo):
        raise ValidationError(_("The logo must be a PNG file."))
    if not all(1 <= side <= WIDEST for side in size(logo)):
        raise ValidationError(_("The logo must be at most 1024 pixels wide and high."))


def size(logo: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG in pixels."""
    width, height = unpack(">II", logo[16:24])
    return width, height


def _is_whole(logo: bytes) -> bool:
    """Return whether a file is a complete PNG, with nothing after the last chunk."""
    if not logo.startswith(SIGNATURE):
        return False
    names, at = [], len(SIGNATURE)
    while at + 12 <= len(logo):
        (length,) = unpack(">I", logo[at : at + 4])
        end = at + 8 + length
        name, checksum = logo[at + 4 : at + 8], logo[end : end + 4]
        if checksum != zlib.crc32(logo[at + 4 : end]).to_bytes(4, "big"):
            return False
        names.append(name)
        at = end + 4
    return at == len(logo) and names[:1] == [b"IHDR"] and names[-1:] == [b"IEND"]
