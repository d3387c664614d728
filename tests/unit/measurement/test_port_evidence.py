# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.port_evidence import (
    PortEvidence,
    held_objections,
    port_evidence,
    port_objections,
)
from TesterLibrary.measurement.snapshot import PortCounters, Snapshot
from tests.counted import port_counters

GOOD = PortEvidence("p1", rx_errors=0, tx_errors=0, rx_pause=0, rx_unseen=0)


@pytest.mark.parametrize(
    ("port", "objections", "remarks"),
    [
        (GOOD, [], []),
        (PortEvidence("p1"), [], []),
        (
            replace(GOOD, rx_unseen=1234),
            ["the interface of port p1 received 1,234 frames that the tester did not see (limit 0)"],
            [],
        ),
        (replace(GOOD, tx_errors=2), ["port p1 could not send 2 of its frames (limit 0)"], []),
        (replace(GOOD, rx_errors=5), [], ["5 frames arrived damaged (FCS or length) at port p1"]),
        (
            replace(GOOD, rx_pause=3),
            [],
            ["3 PAUSE frames arrived at port p1, which does not obey them"],
        ),
        (
            replace(GOOD, rx_pause=3, obeys_pause=True),
            [
                "port p1 received 3 PAUSE frames, and its flow control could not be switched off: "
                "the device has held the tester up"
            ],
            [],
        ),
        (replace(GOOD, faults=("eth1 joins received frames",)), ["port p1: eth1 joins received frames"], []),
    ],
)
def test_objections_and_remarks(port: PortEvidence, objections: list[str], remarks: list[str]) -> None:
    assert list(port_objections([port], 0)) == objections
    assert list(port.remarks()) == remarks


def test_so_many_frames_may_be_lost_as_the_limit_says() -> None:
    assert list(replace(GOOD, rx_unseen=2, tx_errors=2).objections(2)) == []


def test_it_is_what_was_counted_in_between() -> None:
    before, after = (
        Snapshot(
            taken_at_ns=0,
            ports=(
                PortCounters("p1", rx_errors=n, tx_errors=2 * n, rx_unseen=3 * n, rx_pause=4 * n),
                PortCounters("p2", rx_errors=None, rx_pause=n if n > 1 else None, obeys_pause=True),
            ),
            streams=(),
            workers=(),
        )
        for n in (1, 10)
    )
    first, second = port_evidence(before, after, {"p2", "p1"})
    assert first == PortEvidence("p1", rx_errors=9, tx_errors=18, rx_unseen=27, rx_pause=36)
    # A driver that does not count PAUSE frames, and meets some.
    assert second == PortEvidence("p2", rx_pause=10, obeys_pause=True)


@pytest.mark.parametrize(
    ("held", "sent", "objects"),
    [(None, 1000, False), (0, 0, False), (128, 500, False), (129, 500, True), (900, 100_000, False)],
)
def test_a_port_holds_a_few_bursts_or_a_small_part(held: int | None, sent: int, objects: bool) -> None:
    before = Snapshot(0, (port_counters("p1", tx_packets=7),))
    after = Snapshot(1, (port_counters("p1", tx_packets=7 + sent, tx_held=held),))
    objections = list(held_objections(before, after, ["p1"], Fraction(1, 100)))
    assert objections == (
        [
            f"port p1 still holds {held} of {sent} frames that it took: its interface is slower than what it "
            "is given"
        ]
        if objects
        else []
    )
