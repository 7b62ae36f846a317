"""The objects in responses of the API. Times are in UTC, addresses are absolute."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

from forum import models
from forum.api.constraints import one_of
from voting import types


class Schema(BaseModel):
    """A JSON object. The docstrings of its fields are in the OpenAPI document."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Problem(Schema):
    """The reason why a request failed, in the format of RFC 9457 (application/problem+json)."""

    title: str
    status: int
    detail: str
    """The sentence that the site's pages show."""
    id: int | None = None
    """The id of the post or comment that exists already, if that is the reason."""
    url: str | None = None
    """Its address."""
    decision: str | None = None
    """The decision that another moderator made first, if that is the reason."""
    decided_by: str | None = None
    decided_at: datetime | None = None


State = Literal["published", "held", "hidden", "removed"]
"""Whether readers see a post or comment and, if not, why."""
OwnVote = Annotated[int, one_of(vote.value for vote in types.Vote)]
CommentState = Literal[State, "deleted"]


class Post(Schema):
    """A post in a list."""

    id: int
    url: str
    title: str
    kind: Annotated[str, one_of(models.Post.Kind.values)]
    link: str | None
    """The address that a link leads to."""
    domain: str | None
    author: str
    """The author's user name. "[deleted]" if the account was deleted: it has no profile."""
    groups: list[str]
    created_at: datetime
    points: int | None
    """Up votes minus down votes, plus the starting points.

    Null while the site hides the score, which it may do in the first hours. So are `up`, `down` and
    `starting_points`.
    """
    up: int | None
    down: int | None
    starting_points: int | None
    """For an imported post: the points that it had on another site, besides its author's vote."""
    comments: int
    views: int
    answered: bool
    """Whether the post is a question with an accepted answer."""
    vote: OwnVote | None
    """The vote of the token's owner: 1, -1 or 0. Null without a token that may read."""
    saved: bool
    """Whether the token's owner saved the post."""
    merged_into: int | None
    """The id of the post that moderators merged this post into. Reading or changing this post's id
    reads or changes that post.
    """


class FullPost(Post):
    """A post with its text, and whether people can still vote and comment."""

    text: str
    """The text as Markdown."""
    html: str
    edited_at: datetime | None
    accepted_answer: int | None
    """The id of the accepted answer."""
    locked: bool
    votes_until: datetime
    state: State
    """"published" if everybody can read it. Authors can read their "held" (it waits for a
    moderator's approval), "hidden" (it waits for a moderator's decision) and "removed" posts.
    """
    notice: str
    """The sentence about the state that its page shows; "" if it is published."""


class Posts(Schema):
    """A page of a list of posts."""

    items: list[Post]
    next: str | None
    """The address of the next page."""


class Comment(Schema):
    """A comment."""

    id: int
    url: str
    post: int
    post_title: str
    parent: int | None
    """The id of the comment that this comment replies to."""
    author: str
    """As in a post. "" if the program can't read the comment."""
    text: str
    """The text as Markdown."""
    html: str
    created_at: datetime
    edited_at: datetime | None
    answer: bool
    """Whether it is an answer to a question."""
    accepted: bool
    """Whether it is the accepted answer."""
    state: CommentState
    """As in a post. Also "deleted", if its author deleted it and it has replies. Of a comment that
    the program can't read, author, text and votes are left out.
    """
    notice: str
    """As in a post."""
    points: int | None
    """Null while the score is hidden, as in a post."""
    up: int | None
    down: int | None
    vote: OwnVote | None
    """The vote of the token's owner: 1, -1 or 0. Null without a token that may read."""


class Comments(Schema):
    """A page of comments, newest first."""

    items: list[Comment]
    next: str | None


class Standing(Schema):
    """A post's rank in `hot`, and the values that explain the rank.

    The fields are null while rankings are unavailable.
    """

    rank: int | None
    of: int | None
    """How many posts are in the ranking."""
    counts_as: datetime | None
    """When a post without votes would have to be posted to have the same rank."""
    vote_hours: float | None
    """By how many hours the votes move the post. Null while the score is hidden."""
    votes_to_next: int | None
    """How many up votes the post needs to pass the post above. Null if the site hides scores."""
    next: int | None
    """The id of the post above."""


class Group(Schema):
    """A group."""

    name: str
    url: str
    title: str
    description: str
    closed: bool
    """Whether the group accepts no new posts."""


class Person(Schema):
    """A person."""

    name: str
    url: str
    joined_at: datetime
    about: str
    posts: int
    comments: int
    karma: int
    followers: int


class PostLine(Schema):
    """A post on a leaderboard."""

    rank: int
    points: int | None
    """Null while the score is hidden."""
    id: int
    title: str
    url: str


class PersonLine(Schema):
    """A person on a leaderboard."""

    rank: int
    points: int
    name: str
    url: str


class Leaders(Schema):
    """The leaderboards of a day, or of the seven days that end with it."""

    day: date
    posts: list[PostLine]
    people: list[PersonLine]


class Hit(Schema):
    """A post or comment that a search found."""

    kind: Literal["post", "comment"]
    id: int
    """The id of the post or comment."""
    post: int
    """The id of the post, or of the post that the comment is on."""
    title: str
    """The title of the post, or of the post that the comment is on."""
    url: str
    excerpt: str
    """The text around the first match as HTML, with matches in `<mark>`."""
    author: str
    """As in a post."""
    created_at: datetime
    points: int | None
    """Null while the score is hidden."""
    merged_into: int | None
    """The id of the post that moderators merged this post into. `url` leads there."""


class Hits(Schema):
    """A page of search results."""

    items: list[Hit]
    total: int
    not_understood: list[str]
    """Parts of the search that were ignored."""
    next: str | None


class Action(Schema):
    """An entry of the moderation log."""

    id: int
    url: str
    kind: Annotated[str, one_of(models.ModAction.Kind.values)]
    at: datetime
    by: str
    group: str | None
    target: str
    """The post or comment in words; "" if there is none."""
    person: str | None
    """The person concerned. "[deleted]" if the account was deleted."""
    reason: str
    votes: int | None
    """How many votes the action has taken out of the count, or counted again. Null if none."""
    undone: bool


class Actions(Schema):
    """A page of the moderation log, newest first."""

    items: list[Action]
    next: str | None


class Votes(Schema):
    """The votes on a post or comment, after a vote."""

    vote: OwnVote
    """The person's own vote: 1, -1 or 0."""
    counts_at: datetime | None
    """When the vote will count, if it waits because the account is new.

    Null if it counts already, or if moderators took it out of the count. A vote never counts if
    voting closes earlier (`votes_until` of a post).
    """
    points: int | None
    """Null while the score is hidden."""
    up: int | None
    down: int | None


class Done(Schema):
    """Confirms that the request was carried out."""

    done: bool = True


class InboxItem(Schema):
    """A notification."""

    id: int
    kind: Annotated[str, one_of(models.InboxItem.Kind.values)]
    at: datetime
    read: bool
    person: str | None
    """The person who replied, mentioned or followed; "[deleted]" if the account was deleted.

    Null for notifications from moderators.
    """
    post: int | None
    comment: int | None
    sentence: str
    """The notification as a sentence, as in the inbox."""
    text: str
    """The comment as Markdown, or the moderators' message; "" if there is neither."""
    url: str
    """The address of what the item is about."""


class Inbox(Schema):
    """A page of the inbox, newest first."""

    items: list[InboxItem]
    next: str | None


class Limit(Schema):
    """How often the person may do something: at most `times` within `seconds`."""

    action: str
    """For example "post", "comment" or "vote"; "api" for all requests of the token."""
    times: int
    seconds: int


class Me(Schema):
    """The token of the request and its owner."""

    name: str
    url: str
    token: str
    """The name that the owner gave the token."""
    scopes: list[Annotated[str, one_of(models.ApiToken.Scope.values)]]
    created_at: datetime
    """When the token was created."""
    ends_at: datetime | None
    """When the token stops working; null if it works until its owner revokes it."""
    limits: list[Limit]
