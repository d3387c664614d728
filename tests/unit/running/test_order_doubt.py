# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A port at which flows may change places leaves their order in doubt, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.keywords.trials.order import FrameOrder
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.order import measure_order, reordering_below
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.editor import Editor, FieldPath, RandomField
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.targets.fake import FakeTarget, fake_port
from TesterLibrary.verdict import Outcome

from .testers import SECOND, fake_tester, opened, stream

CHANNELS = "t1 receives on 4 channels; flows may overtake each other between them"
PORTS = (fake_port("p1"), replace(fake_port("p2"), reorders=CHANNELS))
DOUBT = f"the order of frames may have been changed by the tester's port p2: {CHANNELS}"
FLOWS = replace(stream(), editors=(Editor(FieldPath.parse("UDP.sport"), RandomField()),))
NONE = Ratio.parse(0)


def measured(directory: Path, of: Stream) -> Trial:
    return TrialMeasurer(fake_tester(directory, ports=PORTS), [of]).measure(Fraction(1, 10), SECOND)


def test_the_order_of_several_flows_is_in_doubt_and_nothing_else(tmp_path: Path) -> None:
    trial = measured(tmp_path, FLOWS)
    assert trial.valid
    assert trial.order_objections == (DOUBT,)
    verdict = reordering_below([trial], NONE)
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, DOUBT)
    assert loss_below([trial], NONE).outcome is Outcome.PASS


@pytest.mark.parametrize("of", [stream(), replace(FLOWS, tx="p2", rx="p1")])
def test_one_flow_and_another_port_keep_their_order(tmp_path: Path, of: Stream) -> None:
    trial = measured(tmp_path, of)
    assert trial.order_objections == ()
    assert reordering_below([trial], NONE).outcome is Outcome.PASS


class Late(FakeTarget):
    """Behind a device that sends the last frame again 0.15 s after it."""

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        counted = super().snapshot(jobs, buckets=buckets)
        return replace(counted, streams=tuple(self._again(s, counted.taken_at_ns) for s in counted.streams))

    @staticmethod
    def _again(stream: StreamCounters, now_ns: int) -> StreamCounters:
        if not stream.last_rx_ns or now_ns < stream.last_rx_ns + 150_000_000:
            return stream
        order = replace(stream.order, duplicated=1)
        return replace(stream, rx_packets=stream.rx_packets + 1, order=order)


def test_copies_are_waited_for_where_nothing_is_missing(tmp_path: Path) -> None:
    """The time is that of the tester's fake clock: nobody waits."""
    suite = opened(tmp_path, target=Late())
    suite.tester.rules = replace(suite.tester.rules, settle=Duration(200_000_000))
    suite.streams["north"] = stream()
    result = FrameOrder(suite).measure_reordering("north", rate=Rate.parse("10 %"), duration=SECOND)
    assert result.order.duplicated == 1


def test_a_getter_of_what_was_reordered_does_not_judge_it(tmp_path: Path) -> None:
    suite = opened(tmp_path, ports=PORTS)
    measurer = TrialMeasurer(suite.tester, [FLOWS])
    suite.found(measure_order(measurer, Fraction(1, 10), SECOND))
    getter = Getter(suite)
    equal = AssertionOperator["=="]
    assert getter.order("duplicated", equal, 0, None) == 0
    for what in ("reordered", "extent", "late"):
        with pytest.raises(Inconclusive, match="may have been changed by the tester's port p2"):
            getter.order(what, equal, 0, None)
