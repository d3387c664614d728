# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every result, every caveat, every verdict and every unit is on the certificate."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.back_to_back import BurstSearch, find_maximum_burst
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.methodology.measurer import Interruption
from TesterLibrary.methodology.mlrsearch import MultipleLossRatioResult
from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult
from TesterLibrary.methodology.result import Result
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, measure_system_recovery
from TesterLibrary.methodology.throughput import ThroughputResult, find_throughput
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.reporting.pages.certificate import certificate
from TesterLibrary.reporting.pages.evidence_summary import EvidenceSummary
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.reporting.record.records import read, short_names
from TesterLibrary.verdict import Outcome, Verdict

from ..methodology.bursts import Bursts
from ..methodology.bursts import throughput as found_before
from ..methodology.mlrsearch.laws import goal
from ..methodology.steps import Steps
from ..methodology.test_maximum import Device
from ..methodology.test_maximum import found as connections
from .golden import SEARCH, _Testbed, _Tester, golden_records
from .simulated import SimulatedBench

SECOND = Duration(10**9)


class Page:
    """A run whose certificate is read again."""

    def __init__(self, folder: Path) -> None:
        self.recorder = Recorder(folder)
        self.recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1)

    def test(self, name: str, results: Sequence[Result], verdicts: Sequence[Verdict], outcome: str) -> None:
        """A test in which all that was found."""
        suite, _, test = name.rpartition(".")
        self.recorder.begin_test(suite, test)
        for result in results:
            for trial in result.trials:
                self.recorder.trial(trial)
            self.recorder.result(result)
        for verdict in verdicts:
            self.recorder.verdict(verdict)
        facts = {"tags": [], "started_at": "", "elapsed_s": 0}
        self.recorder.end_test(status="PASS", outcome=outcome, message="", **facts)

    @property
    def text(self) -> str:
        """The text that a person reads in the certificate, with the descriptions of pictures."""
        page = certificate(read(self.recorder.directory))
        return html.unescape(re.sub(r"\s+", " ", re.sub(r'<(?!img)[^>]*>|src="[^"]*"', "", page)))


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path / "evidence")


def renamed(trial: Trial, stream: str, number: int) -> Trial:
    """The same of another stream."""
    return replace(trial, streams=(replace(trial.streams[0], name=stream),), number=number)


def throughput(tester: SimulatedBench) -> ThroughputResult:
    return find_throughput(tester, SEARCH)


def latency(tester: SimulatedBench) -> Result:
    return measure_latency(tester, LatencyMeasurement(Ratio(Fraction(1, 10)), SECOND, 1))


def test_throughput_and_latency_of_one_test_are_both_there_with_what_limits_them(page: Page) -> None:
    tester = SimulatedBench(512, tester_limit=100_000)
    results = (throughput(tester), latency(tester))
    passed = Verdict(Outcome.PASS, "throughput of north, 512 bytes", "40 %", ">= 5 %")
    page.test("Suite.Both", results, [passed], "PASS")
    assert all(str(result) in page.text for result in results)
    assert "limited by the tester" in page.text
    assert "Throughput. north, 512 bytes: " in page.text
    assert "Latency. north, 512 bytes: " in page.text


def test_each_of_several_verdicts_has_its_subject_unit_and_reason(page: Page) -> None:
    verdicts = [
        Verdict(Outcome.PASS, "frame loss of north, 64 bytes", "0 % (0 of 9 frames)", "<= 0 %"),
        Verdict(Outcome.PASS, "p99 latency of north", "4.608 ms", "<= 5 ms", "limited by the tester"),
        Verdict(Outcome.FAIL, "outage of north, 64 bytes", "1 s", "<= 50 ms"),
    ]
    page.test("Suite.Several", [], verdicts, "FAIL")
    said = (
        "FAIL PASS: frame loss of north, 64 bytes: 0 % (0 of 9 frames) (required <= 0 %); "
        "PASS: p99 latency of north: 4.608 ms (required <= 5 ms; limited by the tester); "
        "outage of north, 64 bytes: 1 s (required <= 50 ms)"
    )
    assert said in page.text


def test_two_streams_of_one_frame_size_both_have_a_point(page: Page) -> None:
    tester = SimulatedBench(64)
    north = throughput(tester)
    first = len(north.trials)
    trials = tuple(renamed(trial, "south", first + index) for index, trial in enumerate(north.trials, 1))
    south = replace(north, title="south, 64 bytes", trials=trials)
    page.test("Suite.North", [north], [], "NOT JUDGED")
    page.test("Suite.South", [south], [], "NOT JUDGED")
    assert "north: north, 64 bytes: " in page.text
    assert "south: south, 64 bytes: " in page.text


def test_what_is_found_again_in_one_test_is_there_twice(page: Page) -> None:
    tester = SimulatedBench(64)
    page.test("Suite.Twice", [latency(tester), latency(tester)], [], "NOT JUDGED")
    assert "Latency: measured. north, 64 bytes" in page.text
    assert "Latency: measured (2). north, 64 bytes" in page.text


def test_suites_of_equal_last_names_have_columns_of_their_own(page: Page) -> None:
    for suite, outcome in (("Run.East.Loss", "PASS"), ("Run.West.Loss", "FAIL")):
        page.test(f"{suite}.64 Bytes", [], [Verdict(Outcome(outcome), "loss", suite, "none")], outcome)
    assert "TestEast.LossWest.Loss" in page.text
    assert "PASS loss: Run.East.Loss (required none)" in page.text
    assert "FAIL loss: Run.West.Loss (required none)" in page.text


def test_a_test_that_ran_twice_is_there_twice(page: Page) -> None:
    for outcome in ("FAIL", "PASS"):
        page.test("Suite.Again", [], [], outcome)
    assert re.search(r"Again\s*FAIL\s*PASS", page.text)


@pytest.mark.parametrize(
    ("suites", "short"),
    [
        (("Run.Loss", "Run.Delay"), ("Loss", "Delay")),
        (("Loss",), ("Loss",)),
        (("A.B.C", "X.B.C", "D"), ("A.B.C", "X.B.C", "D")),
        (("C", "A.C"), ("C", "A.C")),
        (("Frame Loss", "More.Loss"), ("Frame Loss", "Loss")),
    ],
)
def test_suites_are_called_by_what_tells_them_apart(suites: Sequence[str], short: Sequence[str]) -> None:
    assert short_names(suites) == short


def test_a_rate_is_that_of_the_frames_that_left_and_not_of_the_time_intended(page: Page) -> None:
    """A tester that took six times as long has sent a sixth as fast."""
    result = find_throughput(SimulatedBench(1518, capacity=10**9), SEARCH)
    (trial,) = result.trials
    (stream,) = trial.streams
    counters = replace(stream.counters, last_tx_ns=stream.counters.first_tx_ns + 6 * SECOND.ns)
    slow = replace(trial, streams=(replace(stream, counters=counters),))
    page.test("Suite.Slow", [replace(result, trials=(slow,))], [], "NOT JUDGED")
    assert "Throughput. north, 1518 bytes: 13,546 frames/s" in page.text


def test_invalid_trials_and_doubted_delays_are_said_beside_the_result(page: Page) -> None:
    result = latency(SimulatedBench(512, tester_limit=0))
    doubted = replace(result.trials[0], delay_objections=("the calibration is 9 h old",))
    page.test("Suite.Late", [replace(result, trials=(doubted,))], [], "NOT JUDGED")
    assert "1 of 1 trials are invalid: the tester sent 0 of 23,496 frames" in page.text
    assert "its delays are in doubt: the calibration is 9 h old" in page.text


def test_without_a_valid_trial_nothing_is_claimed_of_the_tester(page: Page) -> None:
    page.test("Suite.Late", [latency(SimulatedBench(512, tester_limit=0))], [], "INCONCLUSIVE")
    assert "1 trials; 1 were invalid" in page.text
    assert "In the valid trials" not in page.text


def test_the_throughput_of_a_device_that_passes_nothing_is_below_the_search(page: Page) -> None:
    result = throughput(SimulatedBench(64, capacity=0))
    page.test("Suite.Dead", [result], [result.verdict_above(Rate.parse("5 %"))], "FAIL")
    assert "Throughput. north, 64 bytes: below 14,881 frames/s" in page.text


def test_bursts_recoveries_and_resets_have_their_figures(page: Page) -> None:
    search = BurstSearch(repetitions=3, rest=Duration(0))
    bursts = find_maximum_burst(Bursts(longest=400, noise=9), found_before(), search)
    recovery = measure_system_recovery(
        Steps(recovery_ns=100 * 10**6),
        RecoveryMeasurement(Ratio(Fraction(1, 2)), overload_duration=SECOND, relief_duration=SECOND),
    )
    recovery = replace(recovery, trials=(replace(recovery.trials[0], number=901),))
    measurement = ResetMeasurement(ResetKind.SOFTWARE, Ratio(Fraction(1, 10)))
    trial = replace(throughput(SimulatedBench(64)).trials[-1], number=902)
    seen = Interruption(0, arriving=True, steady=True)
    reset = ResetResult(trial.title, (trial,), measurement, (seen,), "the hook")
    page.test("Suite.All", [bursts, recovery, reset], [bursts.verdict_above(100)], "PASS")
    for title, result in (("Longest burst", bursts), ("System recovery", recovery), ("Reset", reset)):
        assert f"{title}. {result}" in page.text
    assert "standard deviation" in page.text
    assert "RFC 9004 §5.2 asks for at least 2 s" in page.text


def test_goals_have_their_figure_with_all_their_attributes_and_come_back(page: Page) -> None:
    search = MultipleLossRatioSearch((goal(), goal("PDR", "0.5 %")))
    small = SimulatedBench(64)
    regular = find_goals(small, search)
    large = SimulatedBench(1518, trials=list(small.trials))  # so that its trials have other numbers
    irregular = find_goals(large, search)
    page.test("Suite.Goals", [regular, irregular], [regular.verdict_above("NDR", Rate.parse("1 %"))], "PASS")
    assert f"Conditional throughput. {regular}; {irregular}; Searched was {search}" in page.text
    assert "IRREGULAR: the highest load of the search, 100 % of line rate, is a lower bound" in page.text
    assert "exceed ratio 0 %, trials of 100 ms to 1 s, duration sum 1 s, width 0.5 %" in page.text
    records = read(page.recorder.directory).results
    assert [record.procedure for record in records] == ["mlrsearch"] * 2
    for record, result in zip(records, (regular, irregular), strict=True):
        assert isinstance(record.result, MultipleLossRatioResult)
        assert record.result.found == result.found


def test_a_burst_has_a_rate_error_of_its_own() -> None:
    """Beside a limit of 1 % the greatest one of a valid burst would look like a mistake."""
    trial = next(trial.trial for trial in golden_records().trials if trial.trial.valid)
    errors = (Fraction(1, 1000), Fraction(-82, 100))
    trials = [replace(trial, evidence=replace(trial.evidence, rate_error=error)) for error in errors]
    found = EvidenceSummary.of(trials)
    assert (found.worst_rate_error, found.worst_burst_error) == (Fraction(1, 1000), Fraction(82, 100))


def test_a_tester_with_a_wide_limit_of_rate_errors_has_no_bursts_for_them() -> None:
    """The meters of a vendor's model are wrong by up to half."""
    trial = next(trial.trial for trial in golden_records().trials if trial.trial.valid)
    slow = replace(trial.evidence, rate_error=Fraction(-2, 5))
    found = EvidenceSummary.of([replace(trial, evidence=slow, max_rate_error=Fraction(1, 2))])
    assert (found.worst_rate_error, found.worst_burst_error) == (Fraction(2, 5), None)


def test_connections_have_a_table_and_no_frames_that_nobody_sent(tmp_path: Path) -> None:
    page = Page(tmp_path)
    page.test("Scale.Rate", [connections(Device(5000), highest=20_000)], [], "PASS")
    text = certificate(read(tmp_path))
    table = text[text.index("Connections of clients and responders") :].partition("</table>")[0]
    cells = re.findall("<td>([^<]*)</td>", table)
    assert cells[:4] == ["users", "1 s", "5,000", "5,000"]
    assert cells[7:] == ["5,000/s", "not measured", "did its part"]
    assert "/s did not pass: users" in html.unescape(text)
    assert "0 trials" not in text
    assert "What became of the frames" not in text


def test_the_next_load_is_told_with_why_it_did_not_pass(tmp_path: Path) -> None:
    page = Page(tmp_path)
    result = find_throughput(SimulatedBench(), SEARCH)
    page.test("Throughput.64 Bytes", [result], [], "PASS")
    assert re.search(r"[\d.]+ % did not pass: lost [\d,]+ of [\d,]+", certificate(read(tmp_path)))
