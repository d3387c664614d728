# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.keywords.traffic.editor import Editors
from TesterLibrary.keywords.traffic.stream import Streams
from TesterLibrary.model.editor import FieldPath, Mode, RandomField, RandomMask, RandomPrefix
from TesterLibrary.running.suite import Suite

from ..running.testers import opened

IP_SRC = FieldPath("IP", "src")
NETWORK = RandomPrefix.parse("10.0.0.0/16")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Suite]:
    session = opened(tmp_path)
    Streams(session).create_stream("north")
    yield session
    session.close()


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        ({}, RandomField()),
        ({"first": "10.0.0.1", "last": "10.0.0.9"}, RandomField("10.0.0.1", "10.0.0.9")),
        ({"mask": "0.0.0.255"}, RandomMask("0.0.0.255")),
        ({"prefix": NETWORK}, NETWORK),
    ],
)
def test_a_random_field_is_of_a_range_a_mask_or_a_network(
    session: Suite, given: dict[str, Any], mode: Mode
) -> None:
    Editors(session).set_field_random("north", IP_SRC, **given)
    assert session.stream("north").editors[0].mode == mode


def test_a_random_field_has_one_way_only(session: Suite) -> None:
    with pytest.raises(PlanError, match=r"'north': IP\.src: a mask and a prefix; give one of them"):
        Editors(session).set_field_random("north", IP_SRC, mask="0.0.0.255", prefix=NETWORK)
    assert not session.stream("north").editors


def test_a_network_of_the_other_ip_version_is_refused(session: Suite) -> None:
    with pytest.raises(PlanError, match=r"it has 32 bits, 2001:db8::/64 is of 128"):
        Editors(session).set_field_random("north", IP_SRC, prefix=RandomPrefix.parse("2001:db8::/64"))


def test_a_stream_without_signature(session: Suite) -> None:
    Streams(session).create_stream("call", signature=False)
    assert not session.stream("call").signature
