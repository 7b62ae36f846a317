"""Checks logo files that owners upload: only complete PNG files of a moderate size are allowed."""

from io import BytesIO
from struct import unpack

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from PIL import Image

LARGEST = 100 * 1024
"""Maximum size of a logo, in bytes."""
WIDEST = 1_024
"""Maximum width and height of a logo, in pixels."""
END = b"\0\0\0\0IEND\xaeB`\x82"
"""The last chunk of a PNG. Pillow doesn't check what follows this chunk."""
BROKEN = (OSError, SyntaxError, ValueError, IndexError)
"""The errors that Pillow raises for a file that isn't a complete PNG."""


def check(logo: bytes) -> None:
    """Raise ValidationError, with a message, if a file is not allowed as a logo.

    The pixels are never decompressed, so a small file can't fill the memory.
    """
    if len(logo) > LARGEST:
        raise ValidationError(_("The logo must be a file of at most 100 kB."))
    try:
        image = Image.open(BytesIO(logo), formats=("PNG",))
        is_still = not getattr(image, "is_animated", False)
        image.verify()
    except Image.DecompressionBombError as error:
        raise _too_large() from error
    except BROKEN as error:
        raise _not_png() from error
    if not is_still or not logo.endswith(END):
        raise _not_png()
    if max(image.size) > WIDEST:
        raise _too_large()


def size(logo: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG in pixels."""
    width, height = unpack(">II", logo[16:24])
    return width, height


def _not_png() -> ValidationError:
    return ValidationError(_("The logo must be a PNG file."))


def _too_large() -> ValidationError:
    return ValidationError(_("The logo must be at most 1024 pixels wide and high."))
