# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page that a person signs."""

from __future__ import annotations

import base64
import itertools
import json
import re
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from TesterLibrary.files.paths import report_file
from TesterLibrary.measurement.calibration import CalibratedSize, Calibration
from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.sessions import session_result
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pages.certificate import certificate
from TesterLibrary.reporting.pages.junit import junit
from TesterLibrary.reporting.pages.markdown import markdown
from TesterLibrary.reporting.pages.offered_traffic import offered_traffic
from TesterLibrary.reporting.pages.statement import statement
from TesterLibrary.reporting.record.finished_trials import BEGUN, OBSERVATION
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.reporting.record.records import read
from TesterLibrary.verdict import Outcome, Verdict
from tests.counted import session_statistics

from ..golden import GOLDEN, _Testbed, _Tester, golden_records, record_run, without_plots
from ..simulated import SimulatedBench


@cache
def golden_page() -> str:
    """The page of the golden run, whose plots take a second."""
    return certificate(golden_records())


def test_it_is_the_golden_one() -> None:
    page = without_plots(golden_page())
    assert page == (GOLDEN / "certificate.html").read_text(encoding="utf-8")


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    assert certificate(read(tmp_path / "evidence")) == certificate(read(tmp_path / "evidence"))


def test_it_needs_no_other_file() -> None:
    page = golden_page()
    assert not re.search(r'src="(?!data:)', page)
    leads_to = set(re.findall(r'href="([^"#]+)[^"]*"', page))  # what a reader may open besides
    assert leads_to == {"data:,", "evidence/trials.jsonl", "evidence/verdicts.jsonl", "log.html"}
    assert "url(" not in page


def test_every_picture_is_svg_with_a_text_for_those_who_cannot_see_it() -> None:
    page = golden_page()
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', page)
    assert len(pictures) == page.count("<img") > 3
    for source, text in pictures:
        assert ElementTree.fromstring(base64.b64decode(source)).tag.endswith("svg")
        assert re.search("1518 bytes|Frame loss over offered load|Latency by percentile", text)


def test_each_test_that_did_not_pass_is_led_to_from_its_box() -> None:
    page = golden_page()
    boxes = re.findall(r'<strong class="[^"]*"><a href="#([^"]+)">([A-Z ]+)</a>', page)
    assert {outcome for _, outcome in boxes} == {"FAIL", "INCONCLUSIVE", "ERROR", "NOT JUDGED"}
    assert all(page.count(f'id="{anchor}"') == 1 for anchor, _ in boxes)


def test_trials_that_were_taken_over_stand_in_the_box_of_their_test() -> None:
    records = golden_records()
    place = next(a.place for a, b in itertools.pairwise(records.trials) if a.place == b.place)
    count = sum(record.place == place for record in records.trials)
    hours = iter(f"2026-01-31T{10 + number}:00:00+00:00" for number in range(count))
    trials = tuple(
        replace(record, taken_over="interrupted-1", measured_at=next(hours))
        if record.place == place
        else record
        for record in records.trials
    )
    taken = replace(records, trials=trials)
    said = (
        f"{count} of its trials taken over from an interrupted attempt, measured from "
        f"2026-01-31T10:00:00+00:00 to 2026-01-31T{9 + count}:00:00+00:00"
    )
    assert certificate(taken).count(f"<small>{said}</small>") == 1
    assert "taken over" not in certificate(records)
    tests = [test for bed in json.loads(statement(taken, {}))["testbeds"] for test in bed["tests"]]
    by_place = {(test["suite"], test["test"]): test["taken_over"] for test in tests}
    assert by_place.pop((place.suite, place.test)) == said
    assert set(by_place.values()) == {""}


def test_a_text_from_outside_stays_a_text() -> None:
    assert "&lt;Latency&gt;" in golden_page()


def test_delay_order_intervals_and_calibration_are_told(tmp_path: Path) -> None:
    calibration = Calibration(
        "simulated",
        "a cable",
        "2026-01-31T12:00:00+00:00",
        "fake 1",
        ("a", "b"),
        (CalibratedSize(64, 1500, 200, 10),),
    )
    stream = StreamInterval("north", 1000, 990, 63_360, BlindDelay(Passages(1000), Passages(990), 10**9))
    watched = MonitoringResult(
        "north", (), 10**9, Method.VERSION, "", (Interval(1, 0, 10**9, 5, (stream,)),), ()
    )
    recorder = Recorder(tmp_path)
    recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1, calibration=calibration)
    recorder.result(watched)
    html = certificate(read(tmp_path))
    assert "north: 1 intervals of 1 s, sent 1,000, lost 10, most in interval 1 (1.0000 %)" in html
    assert "calibrated 2026-01-31T12:00:00+00:00 over a cable" in html
    assert "64 bytes 1.5 us with a spread of 200 ns, up to 10 frames/s" in html
    assert "Intervals of north" in html


def test_short_trials_line_rates_and_files_are_told(tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    path = tmp_path / "evidence" / "run.json"
    file = {"testbed": "simulated", "kind": "criteria", "name": "mine.yaml", "sha256": "0f" * 32}
    path.write_text(json.dumps({**json.loads(path.read_text()), "files": [file]}))
    page = certificate(read(tmp_path / "evidence"))
    header = page[page.index("<h1>") : page.index("</header>")]
    assert "trials of 1 s: RFC 2544 §24 asks for at least 60 s" in header
    assert "<dt>Port p1</dt><dd>1 Gbps, simulated" in page
    assert f"<dt>Criteria file</dt><dd>mine.yaml, SHA-256 {'0f' * 32}</dd>" in page


def test_a_run_of_a_part_of_the_tests_says_so_wherever_it_says_its_outcome(tmp_path: Path) -> None:
    """Its files are those of all suites, and whoever signs it would take them for what was tested."""
    record_run(tmp_path)
    whole = read(tmp_path)
    run = json.loads((tmp_path / "run.json").read_text())
    run["certification"] = {"include": ["throughput", "latency"], "exclude": [], "tests": ["64 <Bytes>"]}
    (tmp_path / "run.json").write_text(json.dumps(run))
    records = read(tmp_path)
    said = "with the tag throughput or latency; of the name 64"
    assert f"Only a part of the tests was chosen:</strong> {said} &lt;Bytes&gt;." in certificate(records)
    assert f"Only a part of the tests was chosen: {said} " in markdown(records)
    told = json.loads(statement(records, {}))
    assert told["choice"] == f"{said} <Bytes>"
    jsonschema.validate(told, json.loads(report_file("schemas/certificate.schema.json").read_text()))
    assert "a part of the tests" not in certificate(whole) + markdown(whole) + statement(whole, {})


def test_a_profile_of_the_suites_that_is_not_that_of_the_run_is_told(tmp_path: Path) -> None:
    """A suite may import the library with another one than `tester certify --profile` has."""
    record_run(tmp_path)
    run = json.loads((tmp_path / "run.json").read_text())
    for name, shown in (("full", []), ("quick", ["full"])):
        told = {**run, "profile": {"name": name}, "testers": [{**run["testers"][0], "profile": "full"}]}
        (tmp_path / "run.json").write_text(json.dumps(told))
        page = certificate(read(tmp_path))
        assert f"Profile {name}. Begun" in page
        assert re.findall("<dt>Profile of its suites</dt><dd>(.*?)</dd>", page) == shown


def test_the_criteria_have_one_row_with_or_without_their_digest(tmp_path: Path) -> None:
    record_run(tmp_path)
    run = json.loads((tmp_path / "run.json").read_text())
    run["criteria"] = {"simulated": {"file": "bounds.yaml", "content": {}}}
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert re.findall("<dt>Criteria.*?</dd>", certificate(read(tmp_path))) == [
        "<dt>Criteria file</dt><dd>bounds.yaml</dd>"  # of a run that kept no digest
    ]
    run["files"] = [{"testbed": "simulated", "kind": "criteria", "name": "bounds.yaml", "sha256": "0a"}]
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert re.findall("<dt>Criteria.*?</dd>", certificate(read(tmp_path))) == [
        "<dt>Criteria file</dt><dd>bounds.yaml, SHA-256 0a</dd>"
    ]


def test_what_the_device_said_is_beside_each_other_and_no_event() -> None:
    page = golden_page()
    (row,) = re.findall(r"<tr><th scope=.row.>uptime<br>.*?</tr>", page, re.DOTALL)
    assert "<pre>up 0 days</pre>" in row
    assert "no answer: ended with status 1" in row
    assert "device_said" not in page


def test_what_a_next_attempt_at_a_test_reads_is_no_event(tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    before = certificate(read(tmp_path / "evidence"))
    recorder = Recorder(tmp_path / "evidence", read(tmp_path / "evidence").run["id"])
    for name in (BEGUN, OBSERVATION):
        recorder.event(name, found={"addresses": 3})
    assert certificate(read(tmp_path / "evidence")) == before
    recorder.event("anything else")
    assert "anything else" in certificate(read(tmp_path / "evidence"))


def test_connections_have_their_causes_and_the_tester_s_part(tmp_path: Path) -> None:
    counted = session_statistics("users", 10**9, {"tcp.refused": 150, "tcp.timed_out": 0}, {}, openings=299)
    users = replace(counted, failed=150, failures=("tcp.refused", "tcp.timed_out"))
    recorder = Recorder(tmp_path)
    recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1)
    recorder.begin_test("Suite", "Users")
    recorder.result(session_result(SessionTrial(users, due=Fraction(300))))
    recorder.result(session_result(SessionTrial(users, objections=("the link was down",))))
    for number in (1, 2):
        recorder.event("invalid_attempt", end="users", attempt=number, reasons=[f"a pause of {number} s"])
    page = certificate(read(tmp_path))
    assert "150: 150 refused</td>" in page
    assert "2 measurements of clients and responders, 1 invalid because the tester fell short" in page
    assert "300 openings were due, 299 were made; the link was down" in page
    repeated = "2 attempts at measurements of connections did not count: a pause of 1 s (2 such)"
    assert page.count("invalid_attempt") == 0
    assert f"<li>{repeated}</li>" in page


def test_paths_traces_and_stamps_have_the_tester_s_part_and_their_files(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1)
    assert "nothing was measured" in certificate(read(tmp_path))
    recorder.begin_test("Suite", "Paths")
    counts = {"received": 1200, "forwarded": 1199, "lost": 1, "overflowed": 0}
    recorder.event("path_stopped", path="wire", **counts, objections=["the link of p1 was down"])
    recorder.event("stamps_stopped", stamps="load", result="load: 9 stamped", files=["load-flows.csv"])
    facts = {"path": "wire", "packets": 4, "due": 5, "dropped": 1, "file": "captures/wire.pcapng"}
    recorder.event("trace", **facts)
    page = certificate(read(tmp_path))
    lost = "lost by the tester 1, dropped for want of memory 0; the link of p1 was down"
    assert f"<li>Paths: path wire: 1,200 frames arrived, 1,199 left; {lost}</li>" in page
    assert 'load: 9 stamped, <a href="evidence/stamps/load-flows.csv">' in page
    assert 'wire: 4 of 5 packets, 1 dropped by the tester, <a href="evidence/captures/wire.pcapng">' in page
    assert "nothing was measured" not in page


def test_the_traffic_of_a_test_stands_beside_its_verdict(tmp_path: Path) -> None:
    """`0 %` of a loss without its load, and `800` without its subject, say nothing."""
    tester = SimulatedBench()
    recorder = Recorder(tmp_path)
    recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1)
    recorder.begin_test("Suite", "Mine")
    for load in (Fraction(3, 10), Fraction(1, 10)):
        recorder.trial(tester.measure(load, Duration(2 * 10**9)))
    recorder.verdict(Verdict(Outcome.PASS, "connections of users", "800", "> 0"))
    recorder.end_test(outcome="PASS", status="PASS", message="", started_at="", elapsed_s=1)
    records = read(tmp_path)
    (row,) = offered_traffic(records.trials)
    assert (row.streams, row.loads, row.durations, row.trials) == ("north", "10 % to 30 %", "2 s", 2)
    assert "connections of users: 800 <small>(required &gt; 0)" in certificate(records)
    assert f"<td>{row.loads}</td><td>{row.rates}</td><td>2 s</td>" in certificate(records)
    for text in (markdown(records), statement(records, {}), junit(records)):
        assert "10 % to 30 % of line rate" in text


def test_without_matplotlib_there_is_a_page_without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = certificate(golden_records())
    assert "This page has no pictures: plots need matplotlib; install robotframework-testerlibrary" in page
    assert "<img" not in page
    assert "<caption>Verdicts" in page
