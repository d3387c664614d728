# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page that a person signs."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from TesterLibrary.reporting.certificate import certificate, overall, write
from TesterLibrary.reporting.records import read

from .golden import GOLDEN, record_run, without_plots


def test_it_is_the_golden_one() -> None:
    page = without_plots(certificate(read(GOLDEN / "evidence")))
    assert page == (GOLDEN / "certificate.html").read_text(encoding="utf-8")


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    first = write(read(tmp_path / "evidence"), tmp_path / "first.html").read_bytes()
    second = write(read(tmp_path / "evidence"), tmp_path / "second.html").read_bytes()
    assert first == second


def test_it_needs_no_other_file() -> None:
    page = certificate(read(GOLDEN / "evidence"))
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "url(" not in page


def test_every_picture_is_svg_with_a_text_for_those_who_cannot_see_it() -> None:
    page = certificate(read(GOLDEN / "evidence"))
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', page)
    assert len(pictures) == page.count("<img") == 3
    for source, text in pictures:
        assert ElementTree.fromstring(base64.b64decode(source)).tag.endswith("svg")
        assert "1518 bytes" in text


def test_a_text_from_outside_stays_a_text() -> None:
    assert "&lt;Latency&gt;" in certificate(read(GOLDEN / "evidence"))


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        (["PASS", "PASS"], "PASS"),
        (["PASS", "INCONCLUSIVE"], "INCONCLUSIVE"),
        (["INCONCLUSIVE", "ERROR"], "ERROR"),
        (["ERROR", "FAIL"], "FAIL"),
        ([], "ERROR"),
    ],
)
def test_the_worst_outcome_is_the_overall_one(outcomes: list[str], worst: str) -> None:
    assert overall(outcomes) == worst
