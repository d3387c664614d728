# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of each test as JUnit XML, which CI servers read: `junit.xml`.

FAIL is a failure, ERROR an error. INCONCLUSIVE and NOT JUDGED are skipped with their reason: neither says
that the device is right. Robot's own `--xunit` cannot tell FAIL from ERROR, nor NOT JUDGED from PASS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from ..record.durable import write_file
from ..record.outcome import ERROR, FAIL, INCONCLUSIVE, NOT_JUDGED
from ..record.records import EventRecord, Records, TestRecord
from .certificate import attempt_text
from .offered_traffic import OfferedTraffic, by_test

FILE = "junit.xml"
_ELEMENTS = {FAIL: "failure", ERROR: "error", INCONCLUSIVE: "skipped", NOT_JUDGED: "skipped"}
_NO_XML = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML 1.0 does not allow


def write(records: Records, path: Path) -> Path:
    """Puts the XML there. RecordError if the disk is full, for example."""
    write_file(path, junit(records))
    return path


def junit(records: Records) -> str:
    """The XML, with an element on each line."""
    root = tree(records)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def tree(records: Records) -> ElementTree.Element:
    """The tests by suite, those without a record included."""
    suites: dict[tuple[str, str], list[TestRecord]] = {}
    for test in records.tests:
        suites.setdefault((test.testbed, test.suite), []).append(test)
    missing = {suite: names for suite, names in records.not_run.items() if names}
    root = ElementTree.Element(
        "testsuites", name=clean(records.agenda.title if records.agenda else "Test run")
    )
    traffic = by_test(records)
    for (testbed, suite), tests in suites.items():
        _add(root, records, testbed, suite, tests, missing.pop(suite, ()), traffic)
    for suite, names in missing.items():
        _add(root, records, "", suite, (), names, traffic)
    for suite, left_out in _by_suite(records.left_out).items():
        _add_left_out(root, suite, left_out)
    outside = [v.verdict for v in records.outside_tests if v.verdict.outcome.value in (FAIL, INCONCLUSIVE)]
    if outside:
        element = ElementTree.SubElement(root, "testsuite", name="setups and teardowns")
        for number, verdict in enumerate(outside, 1):
            case = ElementTree.SubElement(element, "testcase", name=f"verdict {number}", classname="suite")
            _outcome(case, verdict.outcome.value, str(verdict))
        _count(element)
    if records.faults:
        element = ElementTree.SubElement(root, "testsuite", name="records")
        for number, fault in enumerate(records.faults, 1):
            case = ElementTree.SubElement(element, "testcase", name=f"fault {number}", classname="records")
            _outcome(case, ERROR, fault)
        _count(element)
    _count(root)
    return root


def _add(
    root: ElementTree.Element,
    records: Records,
    testbed: str,
    suite: str,
    tests: Sequence[TestRecord],
    missing: Sequence[str],
    traffic: Mapping[tuple[str, str], OfferedTraffic],
) -> None:
    element = ElementTree.SubElement(root, "testsuite", name=clean(suite))
    if tests:
        element.set("timestamp", tests[0].started_at)
    if testbed:
        properties = ElementTree.SubElement(element, "properties")
        ElementTree.SubElement(properties, "property", name="testbed", value=clean(testbed))
    for test in tests:
        case = ElementTree.SubElement(element, "testcase", name=clean(test.test), classname=clean(suite))
        case.set("time", f"{test.elapsed_s:.3f}")
        _outcome(case, test.outcome, test.message)
        attempts = map(attempt_text, records.earlier_attempts(test))
        offered = filter(None, [traffic.get((test.suite, test.test))])
        if lines := [*map(str, (*records.verdicts_of(test), *offered)), *attempts]:
            ElementTree.SubElement(case, "system-out").text = clean("\n".join(lines))
    why = records.why_not_run(suite) or "the run ended before"
    for name in missing:
        case = ElementTree.SubElement(element, "testcase", name=clean(name), classname=clean(suite))
        _outcome(case, ERROR, f"there is no record of this test; {why}")
    _count(element)


def _by_suite(events: Sequence[EventRecord]) -> dict[str, list[EventRecord]]:
    suites: dict[str, list[EventRecord]] = {}
    for event in events:
        suites.setdefault(event.place.suite, []).append(event)
    return suites


def _add_left_out(root: ElementTree.Element, suite: str, events: Sequence[EventRecord]) -> None:
    element = ElementTree.SubElement(root, "testsuite", name=clean(suite))
    for event in events:
        name = clean(event.place.test)
        case = ElementTree.SubElement(element, "testcase", name=name, classname=clean(suite))
        _outcome(case, INCONCLUSIVE, f"not run, because {event.facts['reason']}")
    _count(element)


def _outcome(case: ElementTree.Element, outcome: str, message: str) -> None:
    if name := _ELEMENTS.get(outcome):
        said = message if message.startswith(outcome) else f"{outcome}: {message}".removesuffix(": ")
        element = ElementTree.SubElement(case, name, message=clean(said.split("\n\n")[0]))
        if name != "skipped":
            element.set("type", outcome)
            element.text = clean(said)


def _count(element: ElementTree.Element) -> None:
    """The numbers of an element's tests, by how they ended."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(name) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")


def clean(text: str) -> str:
    """The text without characters that XML cannot have."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
