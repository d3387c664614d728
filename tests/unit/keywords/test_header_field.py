# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import TesterLibraryError, UnitError, VerdictFailed
from TesterLibrary.keywords.header_field import HeaderField
from TesterLibrary.keywords.loss import Loss
from TesterLibrary.keywords.stream import Streams
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.units import Duration
from TesterLibrary.running.suite import Suite
from TesterLibrary.verdict import Outcome

from ..running.testers import opened

TTL, MAC = FieldPath("IP", "ttl"), FieldPath("Ether", "dst")
EQUAL = AssertionOperator["=="]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Suite]:
    session = opened(tmp_path)
    Streams(session).create_stream("north")
    yield session
    session.close()


def test_all_frames_are_judged_if_the_same_was_expected_before(session: Suite) -> None:
    keywords = HeaderField(session)
    keywords.set_expected_field("north", TTL, EQUAL, "sent - 1")
    keywords.set_expected_field("north", MAC, EQUAL, "02:00:00:00:00:77")
    Loss(session).measure_loss("north", duration=Duration(10**8))
    with pytest.raises(VerdictFailed, match=r"64 \(sent 64\) in [\d,]+ of [\d,]+ frames, first in frame 0"):
        keywords.verify_header_field("north", TTL, EQUAL, "sent  - 1")
    with pytest.raises(VerdictFailed, match=r"Ether.dst of north is 02:[0-9a-f:]+ \(sent 02:"):
        keywords.verify_header_field("north", MAC, EQUAL, "02:00:00:00:00:77")
    with pytest.raises(
        TesterLibraryError, match=r"IP\.ttl == sent - 1 is compared; verify that, expect this"
    ):
        keywords.verify_header_field("north", TTL, EQUAL, "sent")
    keywords.set_expected_field("north", TTL, EQUAL, "sent")
    Loss(session).measure_loss("north", duration=Duration(10**8))
    assert keywords.verify_header_field("north", TTL, EQUAL, "sent").outcome is Outcome.PASS


def test_what_cannot_be_expected_changes_nothing(session: Suite) -> None:
    keywords = HeaderField(session)
    with pytest.raises(TesterLibraryError, match="stream 'north': '256'"):
        keywords.set_expected_field("north", TTL, EQUAL, "256")
    with pytest.raises(UnitError, match="does not compare numbers"):
        keywords.set_expected_field("north", TTL, AssertionOperator["*="], "sent")
    assert not session.stream("north").expected_fields
