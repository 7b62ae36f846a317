"""Changes the site's policy."""

from django.db import transaction

from forum.actions.policy import policy
from forum.models import SitePolicy


@transaction.atomic
def save(changed: SitePolicy) -> None:
    """Save the site's policy. Raises ValidationError if the settings are invalid.

    This process uses the new policy at once. Other processes use it within two seconds.
    """
    changed.full_clean()
    changed.save()
    transaction.on_commit(policy.forget)
