# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A test that was interrupted goes on with the trial that was under way, whatever its procedure is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from TesterLibrary.campaign.interrupted_run import set_aside
from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.back_to_back import BurstSearch, find_maximum_burst
from TesterLibrary.methodology.frame_loss import FrameLossSweep, sweep_frame_loss
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, measure_reset
from TesterLibrary.methodology.result import Result
from TesterLibrary.methodology.soak import Soak, measure_soak
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, measure_system_recovery
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.model.units.units import Duration, FrameSize, Ratio
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.finished_trials import ASIDE
from TesterLibrary.reporting.record.records import read
from TesterLibrary.reporting.record.resumed_parts import taken_over
from TesterLibrary.running.measurer import Pauses, TrialMeasurer
from TesterLibrary.running.tester import Tester
from TesterLibrary.targets.simulated import SimulatedTarget

from ...examples import some
from .test_procedures import simulated
from .testers import stream

MS = 10**6
TRIAL, SCOUT = Duration(12 * MS), Duration(4 * MS)
REST = Duration(500 * MS)  # no device keeps a frame for longer
PLACE = ("bed.Suite", "Test")
ITEM = Item("bed", *PLACE)
Procedure = Callable[[TrialMeasurer], Result]


def throughput(measurer: TrialMeasurer, *, resolution: str = "5 %") -> Any:
    search = ThroughputSearch(
        resolution=Ratio.parse(resolution),
        lowest=Ratio.parse("2 %"),
        trial_duration=TRIAL,
        scout_duration=SCOUT,
        stability=Ratio.parse("5 %"),
    )
    return find_throughput(measurer, search)


def latency(measurer: TrialMeasurer) -> Result:
    load = Ratio(throughput(measurer).load * Fraction(1, 2))
    return measure_latency(measurer, LatencyMeasurement(load, TRIAL, repetitions=3))


def frame_loss(measurer: TrialMeasurer) -> Result:
    return sweep_frame_loss(measurer, FrameLossSweep(trial_duration=TRIAL))


def back_to_back(measurer: TrialMeasurer) -> Result:
    search = BurstSearch(1, REST, Ratio.parse("20 %"), Duration(20 * MS))
    return find_maximum_burst(measurer, throughput(measurer), search)


def system_recovery(measurer: TrialMeasurer) -> Result:
    found = Ratio(throughput(measurer).load)
    measurement = RecoveryMeasurement(
        found, None, overload_duration=TRIAL, relief_duration=TRIAL, repetitions=2
    )
    return measure_system_recovery(measurer, measurement)


def goals(measurer: TrialMeasurer) -> Result:
    each = tuple(
        SearchGoal(
            name,
            Ratio.parse(loss),
            initial_duration=SCOUT,
            final_duration=TRIAL,
            duration_sum=Duration(40 * MS),
            width=Ratio.parse("5 %"),
        )
        for name, loss in (("NDR", "0 %"), ("PDR", "0.5 %"))
    )
    return find_goals(measurer, MultipleLossRatioSearch(each, Ratio.parse("2 %")))


def soak(measurer: TrialMeasurer) -> Result:
    return measure_soak(measurer, Soak(Ratio.parse("50 %"), repetitions=5, trial_duration=TRIAL))


def reset(measurer: TrialMeasurer) -> Result:
    target = measurer._tester.target
    assert isinstance(target, SimulatedTarget)
    measurement = ResetMeasurement(
        ResetKind.SOFTWARE, Ratio.parse("5 %"), TRIAL, Duration(100 * MS), Duration(10**9), repetitions=3
    )
    return measure_reset(measurer, measurement, target.device.reset, hook="reset")


PROCEDURES = (throughput, latency, frame_loss, back_to_back, system_recovery, goals, soak, reset)


@dataclass
class Attempt:
    """An attempt at a test, in a process of its own: it knows nothing but the records."""

    tester: Tester
    run: int = 0  # trials that were sent, the one in which it was killed among them


def attempt(folder: Path, *, dies_in: int | None = None, **device: Any) -> Attempt:
    """Opens the tester anew; it dies while the trial of that number, from 1, is sent."""
    this = Attempt(simulated(folder, **device))
    send = this.tester.target.start

    def start(*arguments: Any, **options: Any) -> None:
        this.run += 1
        send(*arguments, **options)
        if this.run == dies_in:
            raise KeyboardInterrupt

    this.tester.target.start = start  # type: ignore[method-assign]
    this.tester.recorder.begin_test(*PLACE)
    return this


def measured(this: Attempt, procedure: Procedure, **changes: Any) -> Result:
    measurer = TrialMeasurer(this.tester, [replace(stream(), **changes)], pauses=Pauses(rest=REST))
    result = procedure(measurer)
    this.tester.recorder.result(result)
    return result


def killed(folder: Path, procedure: Procedure, dies_in: int, **device: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(attempt(folder, dies_in=dies_in, **device), procedure)
    set_aside(folder, [ITEM])


def told(result: Result) -> list[str]:
    """All that a result says, and each of its trials, without the times at which they were sent."""
    return [str(result), *(f"{trial.number}.{trial.attempt} {trial}" for trial in result.trials)]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_a_test_that_was_killed_in_any_trial_finds_what_it_would_have_found(
    procedure: Procedure, tmp_path: Path
) -> None:
    device = {"rate": "37 %", "queue": 40, "recovery": "30 ms", "silence": "70 ms"}
    whole = attempt(tmp_path / "whole", **device)
    expected = told(measured(whole, procedure))
    assert whole.run >= 3
    for dies_in in some(range(1, whole.run + 1)):
        folder = tmp_path / str(dies_in)
        killed(folder, procedure, dies_in, **device)
        again = attempt(folder, **device)
        assert told(measured(again, procedure)) == expected
        assert again.run == whole.run - (dies_in - 1), "a finished trial was run again"
        records = read(folder)
        assert [told(record.result) for record in records.results] == [expected]
        assert len(records.trials) == whole.run


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.generate])  # to shrink takes minutes
@given(
    rate=st.integers(5, 100),
    queue=st.integers(1, 300),
    procedure=st.sampled_from(PROCEDURES),
    deaths=st.lists(st.integers(1, 12), min_size=1, max_size=4),
)
def test_a_test_may_be_killed_again_and_again(
    rate: int, queue: int, procedure: Procedure, deaths: list[int]
) -> None:
    """Each attempt goes on behind the trials of those before it; one may die while it takes them over."""
    device = {"rate": f"{rate} %", "queue": queue, "silence": "70 ms"}
    with TemporaryDirectory() as folder:
        whole = attempt(Path(folder, "whole"), **device)
        try:
            expected = told(measured(whole, procedure))
        except (PlanError, Inconclusive) as problem:  # of a device whose throughput is 0, say
            with pytest.raises(type(problem)):
                measured(attempt(Path(folder, "other"), **device), procedure)
            return
        sent = 0
        for dies_in in deaths:
            if sent + dies_in > whole.run:
                break
            killed(Path(folder, "parts"), procedure, dies_in, **device)
            sent += dies_in - 1
        last = attempt(Path(folder, "parts"), **device)
        assert told(measured(last, procedure)) == expected
        assert last.run == whole.run - sent


def test_an_attempt_that_dies_while_it_takes_trials_over_loses_none(tmp_path: Path) -> None:
    killed(tmp_path, soak, 4, rate="37 %")
    this = attempt(tmp_path, rate="37 %")
    for _ in range(2):
        taken = this.tester.take_over(this.tester.recorder.finished._left[0].record["asked"], Trial)
        assert taken
        this.tester.evidence.taken_over(taken)
    set_aside(tmp_path, [ITEM])
    assert [
        len((path / "trials.jsonl").read_text().splitlines()) for path in sorted(tmp_path.glob(f"{ASIDE}-*"))
    ] == [3, 2]
    last = attempt(tmp_path, rate="37 %")
    measured(last, soak)
    assert last.tester.recorder.finished.taken == 3


def spoil(folder: Path, number: int, **changes: Any) -> None:
    path = folder / f"{ASIDE}-1" / "trials.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text(
        "".join(f"{json.dumps({**r, **changes} if r['number'] == number else r)}\n" for r in records)
    )


@pytest.mark.parametrize("doubt", ["objections", "delay_objections"])
def test_an_inconclusive_trial_is_measured_again_and_those_behind_it_are_not(
    doubt: str, tmp_path: Path
) -> None:
    killed(tmp_path, soak, 5)
    spoil(tmp_path, 2, **{doubt: ["the machine had other things to do"]})
    again = attempt(tmp_path)
    result = measured(again, soak)
    assert (again.run, again.tester.recorder.finished.taken) == (2, 3)
    assert all(trial.valid and not trial.delay_objections for trial in result.trials)


def test_of_several_attempts_at_a_trial_the_last_one_counts(tmp_path: Path) -> None:
    killed(tmp_path, soak, 5)
    path = tmp_path / f"{ASIDE}-1" / "trials.jsonl"
    first, *others = path.read_text().splitlines()
    invalid = json.loads(first) | {"objections": ["a pause"]}
    valid = json.loads(first) | {"attempt": 2}
    path.write_text("".join(f"{line}\n" for line in (json.dumps(invalid), json.dumps(valid), *others)))
    again = attempt(tmp_path)
    result = measured(again, soak)
    assert again.run == 1
    assert [trial.attempt for trial in result.trials] == [2, 1, 1, 1, 1]


@pytest.mark.parametrize("changes", [{"frame_size": FrameSize(128)}, {"answered": False}, {"name": "south"}])
def test_other_streams_are_measured_from_the_begin(changes: dict[str, Any], tmp_path: Path) -> None:
    killed(tmp_path, soak, 4)
    again = attempt(tmp_path)
    measured(again, soak, **changes)
    assert again.run == 5


def test_another_tester_measures_from_the_begin(tmp_path: Path) -> None:
    killed(tmp_path, soak, 4)
    again = attempt(tmp_path)
    again.tester.capabilities = replace(again.tester.capabilities, version="2")
    measured(again, soak)
    assert again.run == 5


def test_a_procedure_that_asks_otherwise_takes_nothing_over_from_then_on(tmp_path: Path) -> None:
    killed(tmp_path, throughput, 5, rate="37 %")
    again = attempt(tmp_path, rate="37 %")
    measured(again, lambda measurer: throughput(measurer, resolution="2 %"))
    assert 1 <= again.tester.recorder.finished.taken < 4


def test_trials_are_measured_while_something_else_runs(tmp_path: Path) -> None:
    """A capture, a query or traffic beside them would have seen them."""
    killed(tmp_path, soak, 4)
    again = attempt(tmp_path)
    again.tester.scopes.at_end(str)
    measured(again, soak)
    assert again.run == 5


def test_trials_of_another_test_are_not_taken_over(tmp_path: Path) -> None:
    killed(tmp_path, soak, 4)
    again = attempt(tmp_path)
    again.tester.recorder.begin_test(PLACE[0], "Other Test")
    measured(again, soak)
    assert again.run == 5


def test_a_trial_of_an_older_version_is_not_taken_over(tmp_path: Path) -> None:
    killed(tmp_path, soak, 4)
    path = tmp_path / f"{ASIDE}-1" / "trials.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        del record["asked"]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    again = attempt(tmp_path)
    measured(again, soak)
    assert again.run == 5


def test_what_is_taken_over_is_recorded_as_such(tmp_path: Path) -> None:
    killed(tmp_path, soak, 4)
    shutil.copytree(tmp_path, tmp_path / "copy")
    measured(attempt(tmp_path / "copy"), soak)
    lines = (tmp_path / "copy" / "trials.jsonl").read_text().splitlines()
    assert [json.loads(line).get("taken_over") for line in lines] == [f"{ASIDE}-1"] * 3 + [None] * 2
    records = read(tmp_path / "copy")
    trials: list[Trial] = [record.trial for record in records.trials]
    assert [trial.number for trial in trials] == [1, 2, 3, 4, 5]
    before = [json.loads(line)["at"] for line in (tmp_path / f"{ASIDE}-1" / "trials.jsonl").open()]
    assert taken_over(records, records.trials[0].place) == (
        f"3 of its trials taken over from an interrupted attempt, measured from {before[0]} to {before[2]}"
    )


def test_the_time_of_measuring_is_kept_over_several_attempts(tmp_path: Path) -> None:
    killed(tmp_path, soak, 3)
    killed(tmp_path, soak, 2)
    measured(attempt(tmp_path), soak)
    first = [json.loads(line) for line in (tmp_path / f"{ASIDE}-1" / "trials.jsonl").open()]
    taken = [record for record in read(tmp_path).trials if record.taken_over]
    assert [record.taken_over for record in taken] == [f"{ASIDE}-2"] * 3
    assert [record.measured_at for record in taken[:2]] == [record["at"] for record in first[:2]]
