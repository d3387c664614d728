# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page that a person signs."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

from TesterLibrary.measurement.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.calibration import CalibratedSize, Calibration
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.reporting.certificate import certificate, write
from TesterLibrary.reporting.recorder import Recorder
from TesterLibrary.reporting.records import read

from .golden import GOLDEN, _Testbed, _Tester, golden_records, record_run, without_plots


def test_it_is_the_golden_one() -> None:
    page = without_plots(certificate(golden_records()))
    assert page == (GOLDEN / "certificate.html").read_text(encoding="utf-8")


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    first = write(read(tmp_path / "evidence"), tmp_path / "first.html").read_bytes()
    second = write(read(tmp_path / "evidence"), tmp_path / "second.html").read_bytes()
    assert first == second


def test_it_needs_no_other_file() -> None:
    page = certificate(golden_records())
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "url(" not in page


def test_every_picture_is_svg_with_a_text_for_those_who_cannot_see_it() -> None:
    page = certificate(golden_records())
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', page)
    assert len(pictures) == page.count("<img") == 3
    for source, text in pictures:
        assert ElementTree.fromstring(base64.b64decode(source)).tag.endswith("svg")
        assert "1518 bytes" in text


def test_a_text_from_outside_stays_a_text() -> None:
    assert "&lt;Latency&gt;" in certificate(golden_records())


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
    assert "north: 1 intervals of 1 s, sent 1,000, lost 10, most in interval 1 (1.0000%)" in html
    assert "calibrated 2026-01-31T12:00:00+00:00 over a cable" in html
    assert "64 bytes 1.5 us with a spread of 200 ns, up to 10 frames/s" in html
    assert "Intervals of north" in html
