"""Networks of accounts, and the votes that deserve a look, which the worker finds with them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.comment import Comment
from forum.models.post import Post
from forum.models.user import User


class AccountNetwork(models.Model):
    """A network from which a person used the site on a day. Deleted after 30 days."""

    id = models.BigAutoField(primary_key=True)
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()
    """The day, in UTC."""
    month = models.CharField(max_length=7)
    """The month whose key the hash has, such as "2026-11". Hashes of two months say nothing."""
    network = models.CharField(max_length=32)
    """A keyed hash of the network (see `forum.identity.network.network_hash`)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "day", "network"], name="network_once_a_person_and_day"
            )
        ]
        indexes = [models.Index(fields=["day", "network"], name="networks_by_day")]


class VoteSign(models.Model):
    """Votes that deserve a look. It may be coincidence. The worker replaces all rows regularly."""

    class Kind(models.TextChoices):
        NEW_ACCOUNTS = "new", _("Many new accounts")
        NETWORK = "network", _("Accounts of one network")
        DOWN_VOTES = "down", _("A burst of down votes")
        SIGN_UPS = "sign_ups", _("Accounts that signed up together")

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=8, choices=Kind)
    post = models.ForeignKey(Post, on_delete=models.CASCADE, null=True, related_name="+")
    """The post voted on, or the post of the comment."""
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    """The author who got the down votes, or most votes of accounts that signed up together."""
    since = models.DateTimeField()
    until = models.DateTimeField()
    """The votes were cast after `since` and before this time."""
    votes = models.PositiveIntegerField()
    people = models.JSONField()
    """The ids of the accounts that voted, at most 100 (see `accounts`)."""
    accounts = models.PositiveIntegerField()
    """How many accounts voted."""
    networks = models.PositiveIntegerField(default=0)
    shared = models.PositiveIntegerField(default=0)
    """On how many posts and comments at least two of these accounts voted."""
    received = models.PositiveIntegerField(default=0)
    """How many of the votes `person` got."""
    found_at = models.DateTimeField(auto_now_add=True)
