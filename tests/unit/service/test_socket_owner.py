# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The user at the other end of a connection."""

from __future__ import annotations

import getpass
import socket

import pytest

from TesterLibrary.service.refusal import NotAllowed
from TesterLibrary.service.socket_owner import user_of


@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1"), (socket.AF_INET6, "::1")],
)
def test_a_client_is_known_by_its_connection(family: socket.AddressFamily, address: str) -> None:
    """gRPC connects to IPv4 by a socket of IPv6."""
    here, kind = ("::1", socket.AF_INET6) if address == "::1" else ("127.0.0.1", socket.AF_INET)
    with socket.create_server((here, 0), family=kind) as server, socket.socket(family) as client:
        client.connect((address, server.getsockname()[1]))
        accepted, peer = server.accept()
        with accepted:
            assert user_of(peer[:2], accepted.getsockname()[:2]) == getpass.getuser()


def test_a_connection_that_is_gone_is_nobodys() -> None:
    with pytest.raises(NotAllowed, match="nobody knows whose process this is; connect from this machine"):
        user_of(("127.0.0.1", 1), ("127.0.0.1", 2))


def test_a_connection_that_its_process_has_closed_is_nobodys() -> None:
    """The kernel says that it is root's: whoever closes at once what he has sent would be an admin."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"POST /config HTTP/1.1\r\n\r\n")
            accepted, peer = server.accept()
        with accepted, pytest.raises(NotAllowed, match="nobody knows whose process this is"):
            user_of(peer[:2], accepted.getsockname()[:2])
