# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.traces.trace import PathTrace, TracedPacket
from TesterLibrary.methodology.verdicts.path import traces_complete
from TesterLibrary.model.heading import Heading
from TesterLibrary.verdict import Outcome


def packets(count: int, every: int = 1) -> tuple[TracedPacket, ...]:
    return tuple(
        TracedPacket(i, Heading.FORWARD, 100 + i // 2, 200 + i, (), None, 64, b"")
        for i in range(0, count, every)
    )


WHOLE = PathTrace("wan", packets(10), received=10, due=10, dropped=0)


def test_a_whole_trace_meets_all_conditions() -> None:
    assert [condition.holds for condition in WHOLE.conditions] == [True] * 4
    assert (WHOLE.doubt, str(WHOLE)) == ("", "wan: 10 of 10 packets traced")
    assert traces_complete([WHOLE]).outcome is Outcome.PASS
    assert WHOLE.packets[3].held_ns == 102


@pytest.mark.parametrize("every", [2, 3, 10, 11])
def test_a_sample_is_whole_too(every: int) -> None:
    kept = packets(10, every)
    assert replace(WHOLE, packets=kept, due=len(kept), every=every).doubt == ""


def test_a_trace_of_nothing_says_nothing() -> None:
    verdict = traces_complete([PathTrace("wan", (), received=0, due=0, dropped=0)])
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "no packet came to path 'wan' while it was traced" in verdict.reason


@pytest.mark.parametrize(
    ("trace", "failed"),
    [
        (
            replace(WHOLE, packets=(*WHOLE.packets[:4], *WHOLE.packets[5:])),
            ["packet 4 is missing", "9 packets in"],
        ),
        (
            replace(
                WHOLE, packets=(*WHOLE.packets[:4], WHOLE.packets[5], WHOLE.packets[4], *WHOLE.packets[6:])
            ),
            ["packet 4 is missing"],
        ),
        (
            replace(WHOLE, packets=(*WHOLE.packets[:9], replace(WHOLE.packets[9], arrived_ns=99))),
            ["packet 9 is older than the one before it"],
        ),
        (
            replace(WHOLE, packets=WHOLE.packets[:8], dropped=2),
            [
                "8 packets in the trace, 10 to be recorded, 2 of which found no room",
                "8 packets in the trace, 10 expected",
            ],
        ),
        (replace(WHOLE, received=11), ["10 packets in the trace, 11 expected of 11 that arrived"]),
    ],
    ids=["hole", "order", "time", "room", "unseen"],
)
def test_what_is_missing_is_named(trace: PathTrace, failed: list[str]) -> None:
    verdict = traces_complete([WHOLE, trace])
    assert verdict.outcome is Outcome.INCONCLUSIVE
    for text in failed:
        assert text in verdict.reason


def test_there_has_to_be_a_trace() -> None:
    with pytest.raises(TesterLibraryError, match="call Start Trace and Stop Trace before"):
        traces_complete([])
