# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from TesterLibrary.measurement.counter import EVERY_COUNTER
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.procedures.addresses import AddressPorts, TableMeasurer
from TesterLibrary.targets.fake import fake_port

from ..testers import fake_tester

RATE = Frequency.parse("1 k/s")
AGEING = Duration(2 * 10**9)


class Bridge(TableMeasurer):
    """Some time passes before each of the two parts of a check."""

    before_s = 0.0

    def _sent(self, stream: Stream) -> Trial:
        self._tester.clock.sleep(self.before_s)
        return super()._sent(stream)


def test_a_check_that_lasts_as_long_as_the_ageing_time_says_nothing(tmp_path: Path) -> None:
    """A bridge that has forgotten the first addresses by then may have a table of any size."""
    tester = fake_tester(tmp_path, ports=[fake_port(name) for name in ("p1", "p2", "p3")])
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    bridge = Bridge(tester, AddressPorts("p1", "p2", RATE), rest=AGEING)
    assert bridge.check(100, RATE, fresh=False).objections == ()
    bridge.before_s = 2.0
    late = bridge.check(101, RATE, fresh=False)
    assert "s after the first one was learned, and the bridge forgets after 2 s" in late.doubt
    settle = tester.rules.settle.seconds
    assert bridge.window.most(RATE) < (AGEING.seconds - 2 * settle) * 500 <= bridge.window.most(RATE) + 1
