# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, TesterLibraryError, UnitError, VerdictFailed
from TesterLibrary.keywords.traffic.stream import Streams
from TesterLibrary.keywords.trials.header_field import HeaderField
from TesterLibrary.keywords.trials.loss import Loss
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.units.units import Duration, FrameSize
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.fake import fake_port
from TesterLibrary.verdict import Outcome

from ...running.testers import opened

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
        TesterLibraryError, match=r"compares IP\.ttl == sent - 1 in all frames of north; verify"
    ):
        keywords.verify_header_field("north", TTL, EQUAL, "sent")
    keywords.set_expected_field("north", TTL, EQUAL, "sent")
    Loss(session).measure_loss("north", duration=Duration(10**8))
    assert keywords.verify_header_field("north", TTL, EQUAL, "sent").outcome is Outcome.PASS


def test_what_cannot_be_expected_changes_nothing(session: Suite) -> None:
    keywords = HeaderField(session)
    with pytest.raises(TesterLibraryError, match="stream 'north': '256'"):
        keywords.set_expected_field("north", TTL, EQUAL, "256")
    with pytest.raises(UnitError, match="'contains' does not compare numbers"):
        keywords.set_expected_field("north", TTL, AssertionOperator["*="], "sent")
    assert not session.stream("north").expected_fields


def test_a_port_that_may_have_lost_tags_judges_none(tmp_path: Path) -> None:
    ports = (fake_port("p1"), replace(fake_port("p2"), loses_tags="the other end keeps tags"))
    suite = opened(tmp_path, ports=ports)
    keywords, tag = HeaderField(suite), FieldPath("VLAN", "vlan")
    headers = HeaderStack.parse("Ether / Dot1Q(vlan=7) / IP / UDP")
    Streams(suite).create_stream("north", headers=headers, frame_size=FrameSize(128))
    for field in (tag, TTL):
        keywords.set_expected_field("north", field, EQUAL, "sent")
    Loss(suite).measure_loss("north", duration=Duration(10**8))
    with pytest.raises(Inconclusive, match=r"VLAN\.vlan of north: port p2: the other end keeps tags"):
        keywords.verify_header_field("north", tag, EQUAL, "sent")
    assert keywords.verify_header_field("north", TTL, EQUAL, "sent").outcome is Outcome.PASS
    suite.close()
