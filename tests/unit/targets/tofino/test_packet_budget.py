# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets that a fake switch cannot send in time: it says so early, and only of those."""

from __future__ import annotations

from itertools import count

import pytest

from TesterLibrary.errors import TargetError
from TesterLibrary.model.departures import Poisson
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.fake import FakeDaemon
from TesterLibrary.targets.tofino.fake.packet_budget import Haste
from TesterLibrary.targets.tofino.session.switch import SwitchGone

from .driver.test_target import PATIENCE, Driven
from .rig import FOLDER


class Slow(Driven):
    """A switch of this many seconds for 256 events."""

    def __init__(self, seconds: float = 1.0) -> None:
        super().__init__()
        clock = (seconds * tick for tick in count())
        self.daemon = FakeDaemon(FOLDER, lambda: self.clock.now_ns, haste=Haste(lambda: next(clock)))
        self.target = self.opened()


def test_a_rate_that_is_too_high_is_told_soon() -> None:
    driven = Slow()
    driven.target.load(driven.plan(rate="50 %"))
    driven.target.start(["north"])
    driven.clock.sleep(10)
    for _ in range(2):  # nobody starts it again here
        with pytest.raises(
            SwitchGone,
            match=r"switch is too slow for this: it has sent \d+ packets in 2 s, and [0-9,]+ more are due",
        ):
            driven.target.snapshot()
    driven.daemon.start()
    with pytest.raises(TargetError, match="reached again, 1 jobs are loaded anew"):
        driven.target.snapshot()
    assert driven.run("north", 50) == (50, 50)


def test_a_burst_at_line_rate_ends_in_time() -> None:
    driven = Slow()
    driven.target.load(driven.plan(rate="100 %"))
    driven.target.start(["north"], packets=2000)
    driven.target.wait(["north"], timeout=PATIENCE)
    driven.clock.sleep(10)
    assert driven.target.snapshot(["north"]).streams[0].tx_packets == 2000


@pytest.mark.parametrize("changes", [{}, {"shaping": Poisson()}])
def test_a_low_rate_is_in_time_for_long(changes: dict[str, Poisson]) -> None:
    driven = Slow()
    driven.target.load(driven.plan(rate="400 pps", **changes))
    driven.target.start(["north"], duration=Duration(10**10))
    driven.clock.sleep(10)
    assert driven.target.snapshot(["north"]).streams[0].tx_packets > 3500


def test_what_no_template_sends_is_told_late() -> None:
    """Frames from elsewhere, whose number nobody knows."""
    haste = Haste(iter([0.0, 49.0, 51.0]).__next__)
    for _ in range(511):
        haste.event(lambda: 0)
    with pytest.raises(SwitchGone, match="it has sent 0 packets in 51 s, and 0 more are due"):
        haste.event(lambda: 0)
