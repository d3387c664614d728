# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.measurement.port_evidence import link_objection, links_down
from TesterLibrary.measurement.snapshot import PortCounters, Snapshot
from tests.counted import port_counters

UP, DOWN = port_counters("p1", link_downs=2), port_counters("p1", link_downs=3, link_up=False)


@pytest.mark.parametrize(
    ("before", "after", "was_down"),
    [
        (UP, UP, False),
        (UP, DOWN, True),
        (DOWN, DOWN, True),
        (DOWN, port_counters("p1", link_downs=3), True),
        (UP, port_counters("p1", link_downs=3), True),
    ],
)
def test_a_link_was_down_at_an_end_or_between(
    before: PortCounters, after: PortCounters, was_down: bool
) -> None:
    found = links_down(
        Snapshot(1, (before, port_counters("p2"))), Snapshot(2, (after, port_counters("p2"))), ["p2", "p1"]
    )
    assert found == (("p1",) if was_down else ())


def test_only_the_ports_that_are_asked_for_matter() -> None:
    assert (
        links_down(Snapshot(1, (DOWN, port_counters("p2"))), Snapshot(2, (DOWN, port_counters("p2"))), ["p2"])
        == ()
    )


def test_there_is_an_objection_beyond_the_limit() -> None:
    assert list(link_objection(["p1"], 0)) == ["the link of p1 was down"]
    assert list(link_objection(["p1"], 1)) == list(link_objection([], 0)) == []
