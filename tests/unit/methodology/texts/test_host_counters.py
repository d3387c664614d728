# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.measurement.traces.traced_count import Traced, TracedCount
from TesterLibrary.methodology.verdicts.host_counters import counter_is_true
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import said

HOLE = "the trace of path 'wan' is not complete: packet 7 is missing"


TRACED = TracedCount(1234)


def verdict(value: int | str, traced: TracedCount = TRACED, doubt: str = "") -> Verdict:
    return counter_is_true(
        "out_of_sequence", "nic", value, traced, what=Traced.RETRANSMISSIONS, path="wan", doubt=doubt
    )


def counters() -> Iterator[Verdict]:
    yield verdict(1234)
    yield verdict(0)
    yield verdict("ethtool -S eth0 on host nic ended with status 75: no stats available")
    yield verdict(0, TracedCount(1234, HOLE))
    yield verdict(1235, doubt="1 packets that events made have left as well")


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("host_counters", said(counters))
