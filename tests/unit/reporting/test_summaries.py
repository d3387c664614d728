# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The run that is kept with the project as JUnit XML and as Markdown."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from TesterLibrary.reporting.pages.junit import junit
from TesterLibrary.reporting.pages.markdown import markdown
from TesterLibrary.reporting.record.outcome import ERROR, FAIL, INCONCLUSIVE, NOT_JUDGED
from TesterLibrary.reporting.record.records import read_verdicts

from .golden import GOLDEN

RECORDS = read_verdicts(GOLDEN / "evidence")


def test_junit_tells_all_outcomes_apart() -> None:
    root = ElementTree.fromstring(junit(RECORDS))
    outcomes = RECORDS.outcomes()
    assert int(root.get("tests", "0")) == len(outcomes)
    assert int(root.get("failures", "0")) == outcomes.count(FAIL) > 0
    assert int(root.get("errors", "0")) == outcomes.count(ERROR) > 0
    assert int(root.get("skipped", "0")) == outcomes.count(INCONCLUSIVE) + outcomes.count(NOT_JUDGED) > 1
    said = [element.get("message", "") for element in root.iter("skipped")]
    assert any(text.startswith("INCONCLUSIVE: ") for text in said)
    assert any(text.startswith("NOT JUDGED") for text in said)
    printed = [element.text or "" for element in root.iter("system-out")]
    assert "PASS: throughput of north, 1518 bytes is 100 %, required >= 5 %" in printed


def test_what_xml_cannot_have_is_replaced() -> None:
    (first, *rest) = RECORDS.tests
    strange = replace(RECORDS, tests=(replace(first, test="a\x00<b>&\ud800", message="\x1b[0m"), *rest))
    case = next(ElementTree.fromstring(junit(strange).encode()).iter("testcase"))
    assert case.get("name") == "a\N{REPLACEMENT CHARACTER}<b>&\N{REPLACEMENT CHARACTER}"


def test_markdown_has_each_test_the_worst_first() -> None:
    text = markdown(RECORDS)
    lines = text.splitlines()
    assert lines[0].endswith(": FAIL")
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 1 + len(RECORDS.outcomes())
    assert rows[1].startswith("| **FAIL** |")
    assert rows[-1].startswith("| PASS |")
    assert "required \\>= 5 %" in text


def test_markdown_escapes_what_is_markup() -> None:
    (first, *rest) = RECORDS.tests
    text = markdown(replace(RECORDS, tests=(replace(first, test="a|b <img> @all *x*"), *rest)))
    assert "a\\|b \\<img\\> \\@all \\*x\\*" in text


def test_a_long_table_is_cut_and_says_so() -> None:
    many = replace(RECORDS, tests=RECORDS.tests * 20)
    left = len(many.outcomes()) - 50
    assert f"{left} more tests are in the certificate." in markdown(many)
