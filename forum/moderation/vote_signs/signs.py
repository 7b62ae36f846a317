"""Finds votes that deserve a look, and compares them with chance.

Votes that merely look alike are no sign: on real sites, a quarter of honest voters vote alike on
five posts within ten minutes. So each sign needs more in common than that, `TIMES` as many votes
as chance explains, and chance must explain less than one such sign in a whole search.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import exp, lgamma, log
from typing import TypeVar

from forum.models import VoteSign
from forum.moderation.vote_signs.recent_votes import RecentVote
from voting.types import Target

Kind = VoteSign.Kind
NAMED = 100
"""At most so many accounts of a sign are stored, and voided at a time."""
TIMES = 3
LEAST_NEW = 5
LEAST_OF_NETWORK = 3
LEAST_DOWN = 10
LEAST_SIGN_UPS = 3
HOUR = timedelta(hours=1)
Thing = TypeVar("Thing")
NEVER = datetime.min.replace(tzinfo=UTC)
Networks = Mapping[int, Mapping[str, set[int]]]
"""For each person, the networks by hash, each with the ordinals of the days of its use."""


def is_unusual(found: int, expected: float, compared: int) -> bool:
    """Return whether there are far more votes than chance explains.

    `compared` is how many such numbers the search compares: some of many are high by chance.
    """
    return found >= TIMES * expected and _chance(found, expected) * compared < 1


def _chance(found: int, expected: float) -> float:
    """Return how likely there are at least `found` by chance (Poisson), or slightly more.

    Only if `found` is greater than `expected`.
    """
    if not expected:
        return 0
    exactly = exp(found * log(expected) - expected - lgamma(found + 1))
    return exactly / (1 - expected / (found + 1))


def of_new_accounts(votes: Sequence[RecentVote]) -> list[VoteSign]:
    """Return the posts and comments with many votes of accounts that were new.

    Chance explains the share of such votes elsewhere on the site, of which at least one in ten is
    assumed on a site with few votes.
    """
    new = _grouped((vote for vote in votes if vote.is_new), lambda vote: vote.target)
    every_new, voters = sum(map(len, new.values())), Counter(vote.target for vote in votes)
    found = []
    for target, those in new.items():
        share = (every_new - len(those) + 1) / (len(votes) - voters[target] + 10)
        if len(those) >= LEAST_NEW and is_unusual(len(those), share * voters[target], len(voters)):
            found.append(_sign(Kind.NEW_ACCOUNTS, those, target))
    return found


def of_networks(votes: Sequence[RecentVote], networks: Networks) -> list[VoteSign]:
    """Return the posts and comments on which several accounts of one network voted.

    Chance explains as large a share of the network's voters as of all other voters.
    """
    together = defaultdict[tuple[Target, str], list[RecentVote]](list)
    members = defaultdict[str, set[int]](set)
    for vote in votes:
        for network in _networks_at(vote, networks):
            together[vote.target, network].append(vote)
            members[network].add(vote.user_id)
    everybody = len({vote.user_id for vote in votes})
    voters = Counter(vote.target for vote in votes)
    compared = len(voters) * sum(len(own) >= LEAST_OF_NETWORK for own in members.values())
    unusual = defaultdict[Target, dict[str, list[RecentVote]]](dict)
    for (target, network), those in together.items():
        own = len(members[network])
        share = (voters[target] - len(those) + 1) / (everybody - own + 1)
        if len(those) >= LEAST_OF_NETWORK and is_unusual(len(those), own * share, compared):
            unusual[target][network] = those
    return [
        _sign(Kind.NETWORK, {v for some in by.values() for v in some}, target, networks=len(by))
        for target, by in unusual.items()
    ]


def of_down_votes(votes: Sequence[RecentVote], span: timedelta) -> list[VoteSign]:
    """Return the authors who got many more down votes in an hour than up votes, or than usual.

    A sign names all who voted on the author's posts and comments in that hour, either way.
    """
    found, authors = [], _grouped(votes, lambda vote: vote.author_id)
    for author, those in authors.items():
        downs = sorted(vote.at for vote in those if vote.vote < 0)
        most, since = _busiest_hour(downs)
        usual = (len(downs) - most) / (span / HOUR)
        within = [vote for vote in those if since <= vote.at <= since + HOUR]
        enough = most >= LEAST_DOWN and most > len(within) / 2
        if enough and is_unusual(most, usual, len(authors)):
            found.append(_sign(Kind.DOWN_VOTES, within, person_id=author))
    return found


def of_sign_ups(
    votes: Sequence[RecentVote], joined: Mapping[int, datetime], networks: Networks
) -> list[VoteSign]:
    """Return groups of accounts that one network created within the same hour.

    `joined` says when accounts signed up. A sign also says what their votes have in common.
    """
    groups = defaultdict[tuple[datetime, str], set[int]](set)
    for who, at in joined.items():
        for network, days in networks.get(who, {}).items():
            if at.toordinal() in days:
                groups[at.replace(minute=0, second=0, microsecond=0), network].add(who)
    of_person = _grouped(votes, lambda vote: vote.user_id)
    return [
        _sign_up(hour, people, [vote for who in people for vote in of_person.get(who, ())])
        for (hour, _network), people in groups.items()
        if len(people) >= LEAST_SIGN_UPS
    ]


def _sign_up(hour: datetime, people: Collection[int], votes: Sequence[RecentVote]) -> VoteSign:
    targets = Counter(vote.target for vote in votes)
    sign = _sign(Kind.SIGN_UPS, votes, networks=1)
    for author, received in Counter(vote.author_id for vote in votes).most_common(1):
        sign.person_id, sign.received = author, received
    sign.people, sign.accounts, sign.since = sorted(people)[:NAMED], len(people), hour
    sign.shared = sum(number > 1 for number in targets.values())
    sign.until = max(sign.until, hour + HOUR)
    return sign


def _sign(
    kind: VoteSign.Kind,
    votes: Collection[RecentVote],
    target: Target | None = None,
    **more: int | None,
) -> VoteSign:
    people, times = sorted({vote.user_id for vote in votes}), sorted(vote.at for vote in votes)
    first, last = (times[0], times[-1]) if times else (NEVER, NEVER)
    return VoteSign(
        kind=kind,
        post_id=target.post_id if target else None,
        comment_id=(target.comment_id or None) if target else None,
        since=first,
        until=last + timedelta(seconds=1),
        votes=len(votes),
        people=people[:NAMED],
        accounts=len(people),
        **more,
    )


def _grouped(
    votes: Iterable[RecentVote], key: Callable[[RecentVote], Thing]
) -> dict[Thing, list[RecentVote]]:
    groups = defaultdict[Thing, list[RecentVote]](list)
    for vote in votes:
        groups[key(vote)].append(vote)
    return groups


def _networks_at(vote: RecentVote, networks: Networks) -> list[str]:
    """Return the networks that the voter used on the day of the vote, or the day before.

    A visit that began before midnight isn't recorded again at midnight.
    """
    day = vote.at.toordinal()
    return [name for name, days in networks.get(vote.user_id, {}).items() if {day, day - 1} & days]


def _busiest_hour(times: Sequence[datetime]) -> tuple[int, datetime]:
    """Return how many of these sorted times are in the fullest hour, and when that hour begins."""
    most, since, first = 0, NEVER, 0
    for number, at in enumerate(times):
        while at - times[first] > HOUR:
            first += 1
        if number - first + 1 > most:
            most, since = number - first + 1, times[first]
    return most, since
