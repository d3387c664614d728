# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A port at which flows may change places leaves their order in doubt, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive
from TesterLibrary.keywords._getter import Getter
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.order import measure_order, reordering_below
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.editor import Editor, FieldPath, RandomField
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.targets.fake import fake_port
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
