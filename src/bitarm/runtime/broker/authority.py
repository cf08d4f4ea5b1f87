"""Who vouches for the broker: a private certificate authority, and the server's certificate.

Agents and learner trust this one authority and no other, so a certificate that any public
authority would sign for the same host name does not pass.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from bitarm.errors import ConfigError

CA_DAYS = 3650
SERVER_DAYS = 397  # the longest that common TLS clients accept
RENEW_BEFORE = timedelta(days=30)
_CLOCK_SKEW = timedelta(hours=1)  # a gateway's clock may be behind
_MAX_HOST = 253


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes

    @property
    def pem(self) -> bytes:
        """The certificate and then the key, as programs read them from one file."""
        return self.certificate + self.key

    def __repr__(self) -> str:
        return "KeyPair(…)"  # the key stays out of tracebacks and logs


def new_authority(now: datetime) -> KeyPair:
    """A certificate authority of one's own: it can sign servers and nothing above them."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bitarm private authority")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = (
        _builder(name, name, key, now, CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
    )
    return _signed(builder, key, key)


def new_server(authority: KeyPair, hosts: Sequence[str], now: datetime) -> KeyPair:
    """A server's certificate for these host names and addresses."""
    issuer, issuer_key = _load(authority)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bitarm broker")])
    names = [_general_name(host) for host in hosts]
    authority_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    builder = (
        _builder(name, issuer.subject, key, now, SERVER_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(authority_id, critical=False)
    )
    return _signed(builder, key, issuer_key)


def expiry(certificate: bytes) -> datetime:
    """The time until which a certificate is valid."""
    return _parse(certificate).not_valid_after_utc


def hosts_of(certificate: bytes) -> tuple[str, ...]:
    """The host names and addresses that a certificate is good for."""
    names = _parse(certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return tuple(str(name.value) for name in names.value)


def check_host(host: str) -> str:
    """A host name or an address, as it will stand in the certificate."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    labels = host.removesuffix(".").split(".")
    if len(host) > _MAX_HOST or not all(_is_label(label) for label in labels):
        raise ConfigError(
            f"a host is a name such as broker.example.org or an address, got {host!r}"
        )
    return host.removesuffix(".").lower()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, so that no other reaches it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def merged(hosts: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """The hosts of both lists in order, each once."""
    return tuple(dict.fromkeys((*hosts, *more)))


def _is_label(label: str) -> bool:
    letters = label.replace("-", "a")
    return (
        0 < len(label) < 64
        and letters.isascii()
        and letters.isalnum()
        and label.strip("-") == label
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    now = now.astimezone(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + timedelta(days=days))
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _signed(
    builder: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> KeyPair:
    certificate = builder.sign(issuer_key, hashes.SHA256())
    return KeyPair(
        certificate=certificate.public_bytes(serialization.Encoding.PEM),
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),  # Mosquitto starts with nobody there to type a password
        ),
    )


def _load(authority: KeyPair) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    try:
        key = serialization.load_pem_private_key(authority.key, password=None)
    except (ValueError, TypeError):
        raise ConfigError("the authority's key cannot be read: ca.key is damaged") from None
    certificate = _parse(authority.certificate)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ConfigError("the authority's key must be on an elliptic curve, as bitarm makes it")
    if key.public_key() != certificate.public_key():
        raise ConfigError("ca.key and ca.crt do not belong together")
    return certificate, key


def _parse(certificate: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(certificate)
    except ValueError:
        raise ConfigError("a certificate cannot be read: it is no PEM, or damaged") from None
