# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Four ports by their roles, and the streams between them (RFC 2889 §5.5)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.congestion import CongestedPorts
from TesterLibrary.model.units.units import FrameSize, Ratio


def test_the_first_sender_gives_half_of_its_load_to_each_receiver() -> None:
    ports = CongestedPorts.of(["p1", "p2"], "p3", "p4")
    streams = ports.streams(FrameSize(64), Ratio(Fraction(1)))
    assert [stream.name for stream in streams] == [*ports.names]
    assert [(s.tx, s.rx, s.rate.value) for s in streams] == [
        ("p1", "p3", Fraction(1, 2)),
        ("p1", "p4", Fraction(1, 2)),
        ("p2", "p4", 1),
    ]
    assert [stream.phase for stream in streams] == [0, Fraction(1, 2), 0]


@pytest.mark.parametrize(
    ("senders", "message"),
    [
        ([], "senders=none: give two ports"),
        (["p1"], "senders=p1: give two ports, such as p1,p2"),
        (["p1", "p3"], "needs four different ports; given were p1, p3, p3, p4"),
    ],
)
def test_other_numbers_of_ports_are_refused(senders: list[str], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        CongestedPorts.of(senders, "p3", "p4")
