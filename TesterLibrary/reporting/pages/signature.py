# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Ed25519 signatures of certificates (RFC 8032), each in a file beside what it signs.

`certificate.json.sig` is JSON with the signature of the bytes of `certificate.json`, and the public key that
it fits. Whether that is the key of somebody whom the reader trusts, only the reader's own copy of it tells.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import TesterLibraryError
from ..record.codec import parse
from ..record.durable import write_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SUFFIX = ".sig"
_ALGORITHM = "Ed25519"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Signature:
    """The signature of a file."""

    public_key: bytes  # 32 bytes, that it says it fits
    value: bytes  # 64 bytes

    def fits(self, content: bytes) -> bool:
        """Whether these bytes were signed with the private key of `public_key`."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(self.value, content)
        except InvalidSignature:
            return False
        return True


def load_private_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file.

    Raises:
        TesterLibraryError: it is no such key, is encrypted, or others than its owner may read it.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        with path.expanduser().open("rb") as file:
            mode, content = os.fstat(file.fileno()).st_mode, file.read()
    except OSError as problem:
        raise TesterLibraryError(f"the key {path} cannot be read: {problem.strerror}") from None
    if mode & _OTHERS:
        raise TesterLibraryError(
            f"the key {path} may be used by others than its owner (mode {stat.S_IMODE(mode):03o}); "
            "allow only mode 600 or 400"
        )
    try:
        key = load_pem_private_key(content, password=None)
    except TypeError:
        raise TesterLibraryError(f"the key {path} is encrypted; give one without a password") from None
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise TesterLibraryError(
            f"{path} is no Ed25519 private key in PEM; openssl genpkey -algorithm ed25519 makes one"
        )
    return key


def load_public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a PEM file. TesterLibraryError if it is none."""
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(path.expanduser().read_bytes())
    except OSError as problem:
        raise TesterLibraryError(f"the key {path} cannot be read: {problem.strerror}") from None
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise TesterLibraryError(
            f"{path} is no Ed25519 public key in PEM; openssl pkey -in PRIVATE -pubout makes one"
        )
    return key


def check_signer(path: Path, key: Ed25519PrivateKey) -> None:
    """TesterLibraryError if a file is signed with another key: that signature is not replaced."""
    signature = read_signature(path)
    if signature and signature.public_key != key.public_key().public_bytes_raw():
        raise TesterLibraryError(
            f"{path} is signed with the key {fingerprint(signature.public_key)}, and the key given is "
            f"{fingerprint(key.public_key().public_bytes_raw())}; give the first one, or remove "
            f"{signature_file(path).name} to replace that signature"
        )


def sign(path: Path, key: Ed25519PrivateKey) -> Path:
    """Signs the bytes of a file. Returns the file of the signature, which is beside it.

    Raises:
        TesterLibraryError: it is signed with another key.
    """
    check_signer(path, key)
    record = {
        "algorithm": _ALGORITHM,
        "public_key": key.public_key().public_bytes_raw().hex(),
        "signature": base64.b64encode(key.sign(path.read_bytes())).decode(),
    }
    beside = signature_file(path)
    write_json(beside, record)
    return beside


def signature_file(path: Path) -> Path:
    """Where the signature of a file is."""
    return path.with_name(path.name + SUFFIX)


def read_signature(path: Path) -> Signature | None:
    """The signature of a file; None if it is not signed. TesterLibraryError if that cannot be read."""
    _need_cryptography()
    beside = signature_file(path)
    if not beside.exists():
        return None
    try:
        record = parse(beside.read_text(encoding="utf-8"))
        if record["algorithm"] != _ALGORITHM:
            raise ValueError(f"algorithm {record['algorithm']}")
        signature = Signature(
            bytes.fromhex(record["public_key"]), base64.b64decode(record["signature"], validate=True)
        )
        if (len(signature.public_key), len(signature.value)) != (32, 64):
            raise ValueError("keys have 32 bytes, and signatures 64")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise TesterLibraryError(f"{beside} is no {_ALGORITHM} signature: {problem}") from None
    return signature


def fingerprint(public_key: bytes) -> str:
    """A name of a public key, short enough to be compared by people."""
    digits = hashlib.sha256(public_key).hexdigest()
    return ":".join(digits[start : start + 4] for start in range(0, 16, 4))


def _need_cryptography() -> None:
    try:
        import cryptography  # noqa: F401 - others import from it
    except ImportError:
        raise TesterLibraryError(
            "signatures need cryptography; install robotframework-testerlibrary[sign]"
        ) from None
