"""Lists posts with own votes, votes and comments, through the client of openapi-python-client.

Usage: client.py SITE TOKEN. Prints what happened as JSON.
"""

import json
import sys

from rostra_client import AuthenticatedClient, Client
from rostra_client.api.comments import comments_of_post, write_comment
from rostra_client.api.lists import site_list
from rostra_client.api.votes import vote_on_post
from rostra_client.models import NewComment, NewVote, NewVoteVote, Problem, SiteListFamily

site, token = sys.argv[1:]
guest, member = Client(site), AuthenticatedClient(site, token)
listed = site_list.sync(SiteListFamily.NEW, client=guest)
post = listed.items[0]
voted = vote_on_post.sync(post.id, client=member, body=NewVote(NewVoteVote.UP))
again = site_list.sync(SiteListFamily.NEW, client=member)
written = write_comment.sync(post.id, client=member, body=NewComment("Well said."))
newest = comments_of_post.sync(post.id, client=member).items[0]
refused = write_comment.sync(post.id, client=member, body=NewComment(""))
assert isinstance(refused, Problem)
happened = {
    "guest": post.vote,
    "voted": voted.vote,
    "member": [one.vote for one in again.items if one.id == post.id],
    "state": written.state,
    "newest": [newest.id == written.id, newest.text, newest.vote],
    "refused": refused.status,
}
json.dump(happened, sys.stdout)
