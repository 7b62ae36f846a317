"""The posts that link to one site on the web."""

from django.http import Http404, HttpRequest, HttpResponse

from forum.identity.viewers import viewer_id
from forum.queries.hosts import listing_of_host, posts_of
from forum.queries.listings import Listing
from forum.text import terms
from forum.text.hosts import display_host
from forum.web import addresses, listing_pages
from forum.web.addresses import ListingAddress
from forum.web.guest_pages import cached_for_guests
from forum.web.methods import require_safe
from forum.web.redirects import redirect_to_canonical
from voting.types import Hiding


@require_safe
@cached_for_guests
def site(request: HttpRequest, host: str, order: str = "hot") -> HttpResponse:
    """Show the posts that link to a host. Redirect from other spellings, such as with "www.".

    Raises Http404 if no post links to the host.
    """
    canonical = terms.host_of(host)
    if not canonical:
        raise Http404("no such host")
    base = addresses.of("site", canonical)
    if canonical != host:
        address = base if order == "hot" else f"{base}{order}"
        return redirect_to_canonical(request, address, permanent=True)
    asking = viewer_id(request)

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        found = listing_of_host(
            host,
            address.order,
            address.number,
            viewer_id=asking,
            direction=address.direction,
            cursor=address.cursor,
        )
        if not found.page.total and not posts_of(host).exists():
            raise Http404("no post links to this host")
        return found

    return listing_pages.respond(
        request,
        "site.html",
        base=base,
        family=order,
        find=find,
        host=display_host(host),
        nav="site",
    )
