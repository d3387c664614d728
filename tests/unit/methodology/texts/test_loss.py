# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.methodology.frame_loss import FrameLossResult, FrameLossSweep
from TesterLibrary.methodology.latency import LatencyMeasurement, LatencyResult
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

from .samples import LATE, NONE, OLD, SECOND, TENTH, half_dead, said, switched, trial, unmeasured, unsigned


def losses() -> Iterator[Verdict]:
    yield loss_below([trial()], NONE)
    yield loss_below([trial("100 %")], NONE)
    yield loss_below([trial(capacity=0)], TENTH)
    yield loss_below(
        [trial(counters={"rx_packets": 0, "rx_misrouted": 5, "rx_misrouted_ports": ("p3",)})], NONE
    )
    yield loss_below([half_dead(trial())], TENTH)
    yield loss_below([half_dead(trial())], Ratio.parse("60 %"))
    yield loss_below([trial(tester_limit=10)], NONE)
    yield loss_below([trial(objections=LATE)], NONE)
    yield loss_below([trial(counts=False)], NONE)
    yield loss_below([trial("100 %", counts=False)], NONE)
    yield loss_below([unmeasured()], NONE)
    yield loss_below([unsigned()], NONE)
    yield loss_below([unsigned("100 %")], NONE)
    yield loss_below([], NONE)
    for nanoseconds in (79_000, 80_000, 25_000):
        yield loss_below([trial()], NONE, Duration(nanoseconds))
    yield loss_below([trial("100 %")], NONE, Duration(79_000))
    yield loss_below([trial("100 %")], TENTH, Duration(1))
    yield loss_below([unsigned()], NONE, Duration(79_000))
    yield loss_below([trial(delay_objections=OLD)], NONE, Duration(79_000))


def sweeps() -> Iterator[Verdict]:
    lossy = FrameLossResult("north, 64 bytes", (trial("100 %"), trial("10 %")), FrameLossSweep())
    broken = FrameLossResult(
        "north, 64 bytes", (trial("100 %", objections=LATE), trial("10 %")), FrameLossSweep()
    )
    for result in (lossy, broken):
        yield result.verdict_below(NONE)
        yield result.verdict_below(TENTH)
        yield result.verdict_below(NONE, at=TENTH)
        yield result.verdict_below(NONE, at=Ratio.parse("50 %"))
    measurement = LatencyMeasurement(TENTH, SECOND, 2)
    for trials in ((trial(), trial()), (trial(), switched()), (trial(), trial(capacity=0)), ()):
        result = LatencyResult("north, 64 bytes", trials, measurement)
        yield result.verdict_below(Duration(20_500), percentile=50)
        yield result.verdict_below(Duration(79_000), percentile=100)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("loss", said(losses, sweeps))
