# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of engines: `unix:/path`, or `grpc+tls:host:port` with certificates on both sides."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

import grpc

from ...errors import TestbedError
from .owner import client

_OPTIONS = (
    ("grpc.max_receive_message_length", 256 << 20),  # histograms of many streams
    ("grpc.max_send_message_length", 256 << 20),
    ("grpc.enable_http_proxy", 0),  # a tester is never behind a proxy, but the environment may name one
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),  # a lease is renewed soon after a network is back
)
_TLS = re.compile(r"grpc\+tls:(\[[0-9a-fA-F:.]+\]|[^:\[\]]+):([0-9]{1,5})")


class Certificates(Protocol):
    """PEM files that a client of a TLS address needs."""

    @property
    def ca(self) -> Path:
        """The authority that signs the engine's certificate."""
        ...

    @property
    def certificate(self) -> Path:
        """The certificate of the client."""
        ...

    @property
    def key(self) -> Path:
        """The private key of the client's certificate."""
        ...


def open_channel(address: str, certificates: Certificates | None) -> grpc.Channel:
    """A channel to an engine; nothing is sent yet.

    Raises:
        TestbedError: no such form of address, no certificates for TLS, or a file that cannot be read.
    """
    if address.startswith("unix:/"):
        return grpc.insecure_channel(address, options=_options())
    found = _TLS.fullmatch(address)
    if not found:
        raise TestbedError(f"{address!r} is no address of a tester; write unix:/PATH or grpc+tls:HOST:PORT")
    if certificates is None:
        raise TestbedError(f"{address}: TLS needs certificates: ca, certificate and key, as PEM files")
    credentials = grpc.ssl_channel_credentials(
        root_certificates=_read(certificates.ca),
        private_key=_read(certificates.key),
        certificate_chain=_read(certificates.certificate),
    )
    return grpc.secure_channel(f"{found[1]}:{found[2]}", credentials, options=_options())


def _options() -> list[tuple[str, object]]:
    return [("grpc.primary_user_agent", client()), *_OPTIONS]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TestbedError(f"cannot read the certificate {path}: {error.strerror}") from None
