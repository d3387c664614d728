# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that the tester's own port holds in its transmit ring: their loss is never the device's."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path

from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.running.clock import Clock
from TesterLibrary.targets.fake import FakeDevice, FakePath
from tests.unit.running.test_held_frames import SlowPort, now_s, trial_of
from tests.unit.running.testers import fake_tester

from .case import FAKE, Case, judge_on

_FRAMES = 1000  # of a trial


@judge_on(FAKE)
def held_frames(draw: random.Random) -> Case:
    """They leave late, too late, or never; of those that left the device loses a part."""
    part = draw.choice([Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1, 10)])
    held = draw.choice([0, 0, draw.randint(1, 8), draw.randint(20, 400)])
    per_second = draw.choice([0, 50, 1000])
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        tester = fake_tester(Path(folder))
        target = SlowPort(device=FakeDevice(FakePath(loss=Ratio(part))))
        tester.target = target
        tester.clock = Clock.of(target)
        end_s = now_s(target) + 1
        target.held = lambda now: max(0, held - int(per_second * (now - end_s))) if now >= end_s else 0
        trial = trial_of(tester, target)
    beside = Fraction(4, _FRAMES)
    bound = max(Fraction(0), draw.choice([part + beside, part - beside, 2 * part + beside, Fraction(0)]))
    if part and abs(bound - part) < beside:
        bound = part + beside
    excuse = "the port holds frames" if held else ""
    about = f"bound {bound}; {part} lost, {held} held, {per_second}/s leave; {trial}"
    return Case(
        "loss beside held frames", part <= bound, loss_below([trial], Ratio(bound)), excuse, about, FAKE
    )
