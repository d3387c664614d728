# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from TesterLibrary.model.departures import Poisson
from TesterLibrary.model.editor import Editor, FieldPath, RandomField, Sweep
from TesterLibrary.model.job import Job
from TesterLibrary.model.payload import Payload, PayloadKind
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Rate, RateUnit
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.reporting.record import records
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.stream_ids import LARGEST
from TesterLibrary.running.traffic import Traffic

from .testers import SECOND, fake_tester, stream

RANDOM = replace(
    stream("random", size=256, rate="1 kpps"),
    shaping=Poisson(),
    payload=Payload(PayloadKind.RANDOM),
    editors=(Editor(FieldPath.parse("UDP.sport"), RandomField()),),
)
_PAYLOAD = slice(42, -16)  # behind headers with their checksum, before the signature


def test_ids_of_trials_never_collide_with_what_goes_on_meanwhile(tmp_path: Path) -> None:
    """Trials that have used up all ids, beside traffic that has the first one."""
    this = fake_tester(tmp_path)
    traffic = Traffic(this)
    traffic.start([stream("background", rate="10 pps")])
    for _ in range(2):
        this.air.ids.take(LARGEST - 1, [range(1, 2)])
        trial = TrialMeasurer(this, [stream(rate="1 kpps")]).measure(Fraction(1, 1000), SECOND)
        assert (trial.valid, trial.lost, trial.streams[0].counters.id) == (True, 0, 2)
    (background,) = traffic.stop([])
    assert background.streams[0].counters.id == 1
    assert background.lost == 0


def test_planning_for_errors_uses_up_no_ids(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.check([stream()])
    assert this.plan("trial", [stream()]).streams[0].id == 1


def test_frames_of_a_trial_are_rebuilt_from_its_record(tmp_path: Path) -> None:
    """Record and streams give all bytes and gaps, whatever was planned, checked and sent before."""
    this = fake_tester(tmp_path)
    this.seed = 7
    loaded: list[Plan] = []
    load = this.target.load

    def keep(plan: Plan) -> None:
        loaded.append(plan)
        load(plan)

    this.target.load = keep  # type: ignore[method-assign]
    for _ in range(2):
        this.check([RANDOM])
        TrialMeasurer(this, [RANDOM]).measure(this.part_of_line(RANDOM), SECOND)
    for plan, record in zip(loaded, records.read(tmp_path).trials, strict=True):
        (counted,) = record.trial.streams
        assert record.seed is not None
        job = Job(plan.job, (RANDOM.at(Rate(record.trial.load, RateUnit.LINE)),), record.seed)
        again = compile_job(job, ports=this.ports, gateways={}, max_streams=1, first_id=counted.counters.id)
        assert again.streams == plan.streams
        assert again.seed == plan.seed == 7
    one, two = loaded
    assert one.streams[0].editors == two.streams[0].editors
    assert one.streams[0].departures == two.streams[0].departures
    assert one.streams[0].frame[_PAYLOAD] == two.streams[0].frame[_PAYLOAD]
    assert one.streams[0].frame != two.streams[0].frame


def test_results_have_the_law_of_departures_and_the_number_of_flows(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    swept = Editor(FieldPath.parse("UDP.sport"), Sweep("1000", "1009"))
    edited = replace(stream("swept", rate="1 kpps"), editors=(swept,))
    streams = [stream("plain", rate="1 kpps"), edited, RANDOM]
    load = Fraction(1, 1000)
    plain, several, drawn = (TrialMeasurer(this, [each]).measure(load, SECOND) for each in streams)
    assert plain.traffic == "evenly spaced, 1 flow"
    assert several.traffic == "evenly spaced, 10 flows"
    assert drawn.traffic.startswith("exponential gaps of ")
    assert drawn.traffic.endswith(", an unknown number of flows")
    both = TrialMeasurer(this, streams[:2]).measure(load, SECOND)
    assert both.traffic == "plain evenly spaced, 1 flow; swept evenly spaced, 10 flows"
