# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long NDR and PDR take by MLRsearch (RFC 9971), and by two binary searches as RFC 2544 has them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

from TesterLibrary import TesterLibrary
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.measurer import Measurer
from TesterLibrary.model.units.units import Duration, Ratio

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, at_most
from .harness.registry import Settings, benchmark

_DEVICES = ("breakpoint", "queue", "loss-law", "recovery", "hiccups")  # of the simulated testbeds
_ALLOWED = {"NDR": Ratio.parse(0), "PDR": Ratio.parse("0.5 %")}
_WIDTH, _LOWEST = Ratio.parse("1 %"), Ratio.parse("1 %")
_FINAL, _INITIAL = Duration(500_000_000), Duration(50_000_000)  # each frame of a trial is simulated


@benchmark(unit="s", bound=at_most(0.5))
def mlrsearch_time(_: Settings) -> Outcome:
    """Time of the trials that find NDR and PDR together, on five simulated devices without chance"""
    load = load_average()
    ours: dict[str, float] = {}
    peers: dict[str, float] = {}
    throughputs = Fraction(0)
    for device in _DEVICES:
        with _opened(device) as library:
            found = library.find_ndr_and_pdr(
                "north",
                pdr=_ALLOWED["PDR"],
                exceed=Ratio.parse(0),
                initial=_INITIAL,
                final=_FINAL,
                duration_sum=_FINAL,
                width=_WIDTH,
                lowest=_LOWEST,
            )
            ours[device] = found.sending.seconds
            measurer = library.suite.measurer("throughput", ["north"])
            peers[device] = sum(_halved(measurer, allowed) for allowed in _ALLOWED.values())
            for allowed in _ALLOWED.values():
                scouted = library.find_throughput(
                    "north", loss=allowed, resolution=_WIDTH, duration=_FINAL, scout=_INITIAL, lowest=_LOWEST
                )
                throughputs += sum(Fraction(trial.duration_ns, 10**9) for trial in scouted.trials)
    each = ", ".join(f"{name} {ours[name]:.2f} s of {peers[name]:.2f} s" for name in _DEVICES)
    return Outcome(
        (Run(sum(ours.values()), sum(peers.values()), load),),
        peer="two binary searches",
        note=f"{each}; Find Throughput twice, with scouts: {float(throughputs):.2f} s",
    )


@contextmanager
def _opened(device: str) -> Iterator[TesterLibrary]:
    """A library on a simulated device, with a stream; what it records goes away with it."""
    with tempfile.TemporaryDirectory(prefix="mlrsearch-") as folder, patch.dict(os.environ):
        before = Path.cwd()
        os.chdir(folder)
        try:
            with TesterLibrary(testbed=f"simulated/{device}") as library:
                library.open_tester()
                library.create_stream("north", tx="p1", rx="p2", frame_size=64)
                yield library
        finally:
            os.chdir(before)


def _halved(measurer: Measurer, allowed: Ratio) -> float:
    """The seconds that trials of full length take to bring a load that passes next to one that does not."""
    trials: list[Trial] = []

    def passes(load: Fraction) -> bool:
        trials.append(measurer.measure(load, _FINAL))
        return trials[-1].loses_at_most(allowed.value) is True

    passed, failed = _LOWEST.value, Fraction(1)
    if not passes(failed):
        while failed - passed > _WIDTH.value * failed:
            middle = (passed + failed) / 2
            passed, failed = (middle, failed) if passes(middle) else (passed, middle)
    return sum(trial.duration_ns for trial in trials) / 1e9
