"""TLS connections (`rediss`) to one server, a cluster and sentinels, with verified certificates."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from forum.identity.limits_cache import LimitsCache
from tests.cluster import certificates
from tests.cluster.nodes import Tls, running, single
from tests.cluster.sentinels import watched
from tests.voting.sites import BRAM, publish, site_at, vote
from voting.errors import StoreUnavailable
from voting.service import VotingService
from voting.types import Order, Vote

pytestmark = pytest.mark.cluster
SETTINGS = """\
tls-cert-file "{place}/server.pem"
tls-key-file "{place}/server.key"
tls-ca-cert-file "{place}/ca.pem"
tls-auth-clients {clients}
tls-replication yes
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with TLS certificates."""
    made = tmp_path_factory.mktemp("tls")
    certificates.make(made)
    return made


@pytest.fixture
def tls(place: Path) -> Tls:
    return secured(place)


def secured(place: Path, clients: str = "no") -> Tls:
    """Return TLS settings for servers. If `clients` is "yes", clients also need a certificate."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("No redis-server that speaks TLS is installed.")
    settings = SETTINGS.format(place=place, clients=clients)
    return Tls(
        Path(program), settings, *(place / one for one in ("ca.pem", "server.pem", "server.key"))
    )


def assert_serves(site: VotingService) -> None:
    """Assert that publishing, voting and listing posts work."""
    site.maintenance.generations.open()
    for post in range(1, 9):
        publish(site, post)
        assert vote(site, BRAM, post).points == 2
    rows = site.listings.page(Order.NEW, 1, viewer=BRAM).rows
    assert [(row.id, row.vote) for row in rows] == [(post, Vote.UP) for post in range(8, 0, -1)]


def refused(url: str) -> str:
    """Try to connect to a server, expect an error, and return the error's message."""
    with pytest.raises(StoreUnavailable) as why:
        site_at(url).listings.page(Order.NEW, 1)
    return str(why.value)


def test_server_is_trusted_only_by_its_certificate(tls: Tls, tmp_path: Path) -> None:
    with single(tmp_path, tls) as own:
        address = f"rediss://127.0.0.1:{own.port}/0"
        assert_serves(site_at(f"{address}?ssl_ca_certs={tls.authority}"))
        unchecked = site_at(f"{address}?ssl_cert_reqs=none")
        assert len(unchecked.listings.page(Order.NEW, 1).rows) == 8
        assert "certificate verify failed" in refused(address)


def test_cache_uses_tls_too(tls: Tls, tmp_path: Path) -> None:
    with single(tmp_path, tls) as own:
        address = f"rediss://127.0.0.1:{own.port}/1?ssl_ca_certs={tls.authority}"
        cache = LimitsCache(address, settings.CACHES["default"])
        cache.set("who", "ada")
        assert cache.get("who") == "ada"


def test_a_certificate_for_another_name_is_refused(tls: Tls, tmp_path: Path) -> None:
    with single(tmp_path, tls) as own:
        address = f"rediss://localhost:{own.port}/0?ssl_ca_certs={tls.authority}"
        assert_serves(site_at(f"{address}&ssl_check_hostname=no"))
        assert "certificate verify failed" in refused(address)


def test_client_certificate_is_sent_to_a_server_that_wants_one(place: Path, tmp_path: Path) -> None:
    ours = f"ssl_certfile={place}/server.pem&ssl_keyfile={place}/server.key"
    with single(tmp_path, secured(place, clients="yes")) as own:
        address = f"rediss://127.0.0.1:{own.port}/0?ssl_ca_certs={place}/ca.pem"
        assert_serves(site_at(f"{address}&{ours}"))
        assert refused(address)


def test_cluster_uses_tls_with_clients_and_internally(tls: Tls, tmp_path: Path) -> None:
    among = replace(tls, settings=tls.settings + "tls-cluster yes\n")
    with running(tmp_path, tls=among) as cluster:
        address = cluster.url.replace("redis+cluster://", "rediss+cluster://")
        site = site_at(f"{address}?ssl_ca_certs={tls.authority}")
        assert_serves(site)
        assert len({cluster.master_of(f"{{s0{one}}}:post:{one}").port for one in range(1, 9)}) > 1
        assert refused(address)


def test_sentinels_and_their_servers_use_tls(tls: Tls, tmp_path: Path) -> None:
    with watched(tmp_path, tls) as guarded:
        address = guarded.url.replace("redis+sentinel://", "rediss+sentinel://")
        url = f"{address}?ssl_ca_certs={tls.authority}"
        assert_serves(site_at(url))
        assert "no sentinel knows" in refused(address)
