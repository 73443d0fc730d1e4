"""Certificates of tests: an authority of their own, and what it signs for the name of a host."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@dataclass
class Authority:
    """A certificate authority, whose files are in a folder."""

    folder: Path
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def __post_init__(self) -> None:
        basic = x509.BasicConstraints(ca=True, path_length=0)
        builder = self._builder("Test authority", self.key).add_extension(basic, critical=True)
        self.file = self.folder / "authority.pem"
        self.file.write_bytes(builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def certificate(self, host: str, *, expired: bool = False, self_signed: bool = False) -> Path:
        """Return a file with a key and its certificate for a host."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(host, key, "self" if self_signed else "Test authority", -DAY if expired else DAY)
        named = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        signed = named.sign(key if self_signed else self.key, hashes.SHA256())
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = self.folder / f"{host}-{expired}-{self_signed}.pem"
        file.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
        return file

    def _builder(
        self, subject: str, key: ec.EllipticCurvePrivateKey, issuer: str = "Test authority", until: timedelta = DAY
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        issuer = subject if issuer == "self" else issuer
        return (
            x509.CertificateBuilder()
            .subject_name(_name(subject))
            .issuer_name(_name(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 2 * DAY)
            .not_valid_after(now + until)
        )
