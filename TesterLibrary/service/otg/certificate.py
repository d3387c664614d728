# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certificate of this moment for a server on this machine. Clients of the model do not verify it."""

from __future__ import annotations

import ssl
import tempfile
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path

from ...errors import TesterLibraryError

_NAME = "localhost"
_DAYS = 365


def fresh_context(address: str) -> ssl.SSLContext:
    """TLS with a key that nobody keeps. TesterLibraryError if there is no library that makes one."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise TesterLibraryError(
            "https needs a certificate, and the package cryptography makes it: install "
            "robotframework-testerlibrary[otg]"
        ) from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(_NAME), x509.IPAddress(ip_address(address))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory() as folder:  # of mode 0700; a context reads files only
        path = Path(folder) / "both.pem"
        path.write_bytes(private + certificate.public_bytes(pem))
        context.load_cert_chain(path)
    return context
