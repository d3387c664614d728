# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A client of the Open Traffic Generator is the user whose process has the other end of its connection."""

from __future__ import annotations

import getpass
import socket

import pytest

from TesterLibrary.service.config import OtgPlace, shipped_places
from TesterLibrary.service.otg_door import user_of
from TesterLibrary.service.refusal import NotAllowed


@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]
)
def test_a_client_is_known_by_its_connection(family: socket.AddressFamily, address: str) -> None:
    """gRPC connects to IPv4 by a socket of IPv6."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(family) as client:
        client.connect((address, server.getsockname()[1]))
        accepted, peer = server.accept()
        with accepted:
            assert user_of(peer, accepted.getsockname()) == getpass.getuser()


def test_a_connection_that_is_gone_is_nobodys() -> None:
    with pytest.raises(NotAllowed, match="nobody knows whose process this is; connect from this machine"):
        user_of(("127.0.0.1", 1), ("127.0.0.1", 2))


def test_a_place_of_the_command_line_has_the_locations_of_the_documentation() -> None:
    places = {place.name: place for place in shipped_places().with_otg("l2-bridge").places}
    assert places["l2-bridge"].otg == OtgPlace(locations={"localhost:5555": "p1", "localhost:5556": "p2"})
    assert places["l3-router"].otg is None
