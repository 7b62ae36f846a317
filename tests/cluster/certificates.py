"""TLS certificates for servers on this machine, created for one run of the tests."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

LIFE = timedelta(days=2)
Key = ec.EllipticCurvePrivateKey


def make(place: Path) -> None:
    """Create a CA in a folder, and a certificate for 127.0.0.1 that the CA has signed."""
    place.mkdir(exist_ok=True)
    root, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _draft("Tests", root, root).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    loopback = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    server = _draft("127.0.0.1", own, root).add_extension(loopback, critical=False)
    for name, draft in (("ca", authority), ("server", server)):
        signed = draft.sign(root, SHA256())
        (place / f"{name}.pem").write_bytes(signed.public_bytes(Encoding.PEM))
    private_key = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (place / "server.key").write_bytes(private_key)


def _draft(name: str, own: Key, issuer: Key) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named("Tests"))
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LIFE)
        .not_valid_after(now + LIFE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()), critical=False
        )
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
