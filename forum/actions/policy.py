"""The site's policy, cached in this process, so that most pages read it without a query."""

from forum.models import SitePolicy
from forum.queries.process_cache import ProcessCache

policy = ProcessCache(lambda: SitePolicy.objects.first() or SitePolicy(), SitePolicy())
"""The saved policy, or the default policy if none is saved."""


def reasons() -> list[str]:
    """Return the reasons that moderators may choose from."""
    return [line.strip() for line in policy.get().reasons.splitlines() if line.strip()]
