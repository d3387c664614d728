# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords.traffic.flows import Flows
from TesterLibrary.measurement.flows import FlowStatistics, FlowSummary
from tests.counted import order_counters

from ...methodology.texts.samples import trial

SENT = 148_809
COUNTED = FlowStatistics(flows=10, sent=SENT, received=SENT, least_received=14_880, most_received=14_881)


def asked(
    statistic: str,
    summary: FlowSummary | None,
    judged: Any = None,
    operator: str = "==",
    expected: str = "0",
) -> int:
    """Get Flow Statistics    north    …    ==    0, of a stream that is sending or of a trial."""
    suite: Any = SimpleNamespace(
        traffic=SimpleNamespace(flows=lambda *_: summary),
        judged=lambda: judged,
        conclude=lambda verdict, message: verdict.enforce(message),
    )
    found = Flows(suite).get_flow_statistics("north", statistic, AssertionOperator[operator], expected)
    assert isinstance(found, int)
    return found


def lossy(received: int, counted: FlowStatistics = COUNTED, **order: Any) -> int:
    """Get Flow Statistics    north    lossy    ==    0"""
    found = trial(counters={"rx_packets": received, "order": order_counters(SENT, **order)})
    (stream,) = found.streams
    judged = replace(found, streams=(replace(stream, flows=FlowSummary(counted)),))
    return asked("lossy", None, judged)


def test_flows_of_which_all_arrived() -> None:
    assert lossy(SENT) == 0


def test_a_copy_hides_no_loss_of_its_flow() -> None:
    with pytest.raises(VerdictFailed, match="lossy flows of north is 1, required == 0"):
        lossy(SENT, duplicated=1)  # so one was lost, and its flow has as many as were sent
    with pytest.raises(Inconclusive, match="it is only known to lie between 0 and 7"):
        lossy(SENT, duplicated=None, behind=7)  # copies, or frames that were overtaken


def test_copies_of_frames_of_which_none_is_missing_hide_nothing() -> None:
    assert lossy(SENT + 3, replace(COUNTED, received=SENT + 3), duplicated=3) == 0


def test_flows_that_are_known_to_have_lost_some_are_no_doubt() -> None:
    with pytest.raises(VerdictFailed, match="lossy flows of north is 2 to 7, required == 0"):
        lossy(SENT, replace(COUNTED, lossy=2), duplicated=None, behind=7)


@pytest.mark.parametrize("count", [0, 3])
def test_while_a_stream_is_sending_nobody_knows_what_its_flows_lost(count: int) -> None:
    """Frames are under way, and copies of others hide what was lost."""
    sending = FlowSummary(replace(COUNTED, lossy=count))
    with pytest.raises(Inconclusive, match="north is sending, so frames that are missing may be under way"):
        asked("lossy", sending)
    assert asked("silent", sending) == 0
    suite: Any = SimpleNamespace(traffic=SimpleNamespace(flows=lambda *_: sending))
    assert Flows(suite).get_flow_statistics("north", "lossy") == count


@pytest.mark.parametrize(
    ("statistic", "operator", "expected"),
    [
        ("silent", "==", "0"),
        ("silent", "==", "3"),
        ("silent", ">", "2"),
        ("received", ">=", "1,001"),
        ("received", "==", "1,000"),
        ("received", "<=", "1,000"),
        ("least_received", ">", "0"),
        ("most_received", ">=", "600"),
    ],
)
def test_what_frames_under_way_could_change_is_inconclusive(
    statistic: str, operator: str, expected: str
) -> None:
    """A gateway of another MAC address, of which a trial tells, is none of the device's losses either."""
    sending = FlowSummary(
        FlowStatistics(flows=10, silent=3, sent=1100, received=1000, least_received=0, most_received=500)
    )
    with pytest.raises(Inconclusive, match="north is sending, so frames that are missing may be under way"):
        asked(statistic, sending, operator=operator, expected=expected)


@pytest.mark.parametrize(
    ("statistic", "operator", "expected", "fine"),
    [
        ("silent", "<=", "3", True),
        ("silent", ">", "3", False),
        ("received", ">=", "1,000", True),
        ("received", "<", "1,000", False),
        ("most_received", ">", "499", True),
        ("flows", "==", "10", True),
        ("sent", "==", "1,100", True),
        ("flows", "==", "9", False),
    ],
)
def test_what_they_cannot_change_is_judged(statistic: str, operator: str, expected: str, fine: bool) -> None:
    sending = FlowSummary(
        FlowStatistics(flows=10, silent=3, sent=1100, received=1000, least_received=0, most_received=500)
    )
    if fine:
        assert asked(statistic, sending, operator=operator, expected=expected) >= 3
    else:
        with pytest.raises(VerdictFailed):
            asked(statistic, sending, operator=operator, expected=expected)
