# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A run as the JUnit import of ReportPortal reads it: `junit.xml` in a zip file, and the launch it becomes.

The import takes the text of an element, never its `message`; the properties `attribute` (`key:value`) and
`description` of suites and tests; and white space between elements for a description, so there is none.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import timezone
from typing import Any
from xml.etree import ElementTree

from ...errors import TesterLibraryError
from ..pages import junit
from ..record.records import TestRecord
from .facts import Facts

LARGEST = 32 * 1024 * 1024  # bytes of a file that ReportPortal takes
_LONGEST = 512  # characters of an attribute


def archive(facts: Facts) -> bytes:
    """The zip file. The same run makes the same bytes.

    Raises:
        TesterLibraryError: it is larger than ReportPortal takes.
    """
    root = junit.tree(facts.records)
    tests = {(test.suite, test.test): test for test in facts.records.tests}
    for suite in root.iter("testsuite"):
        testbed = suite.find("properties/property[@name='testbed']")
        of = facts.attributes_of("" if testbed is None else testbed.get("value", ""))
        _describe(suite, f"{facts.title}: {facts.verdict} ({facts.counts})", of)
        for case in suite.iter("testcase"):
            record = tests.get((suite.get("name", ""), case.get("name", "")))
            _tell(case, record)
    xml = b'<?xml version="1.0" encoding="UTF-8"?>' + ElementTree.tostring(root, encoding="utf-8")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo(junit.FILE), xml, zipfile.ZIP_DEFLATED)
    content = file.getvalue()
    if len(content) > LARGEST:
        raise TesterLibraryError(
            f"the run has {len(content):,} bytes of JUnit in a zip file, and ReportPortal takes {LARGEST:,}; "
            "run the testbeds one by one"
        )
    return content


def launch(facts: Facts) -> Mapping[str, Any]:
    """The attributes of the launch that the import is given beside the file."""
    started = facts.started_at.astimezone(timezone.utc)
    attributes = {**facts.attributes, "verdict": facts.verdict}
    return {
        "name": facts.title[:256],
        "description": f"{facts.verdict} ({facts.counts}); run {facts.id}",
        "startTime": f"{started:%Y-%m-%dT%H:%M:%S}.{started.microsecond // 1000:03}Z",
        "mode": "DEFAULT",
        "attributes": [{"key": key, "value": value[:_LONGEST]} for key, value in attributes.items()],
    }


def _tell(case: ElementTree.Element, record: TestRecord | None) -> None:
    if record:
        case.set("timestamp", record.started_at)
        _describe(case, "", {"outcome": record.outcome})
    for skipped in case.iter("skipped"):
        skipped.text = skipped.text or skipped.get("message")


def _describe(element: ElementTree.Element, description: str, attributes: Mapping[str, str]) -> None:
    properties = element.find("properties")
    if properties is None:
        properties = ElementTree.Element("properties")
        element.insert(0, properties)
    for key, value in attributes.items():
        text = junit.clean(value).replace(":", "-")[:_LONGEST]  # what follows a second colon is dropped
        ElementTree.SubElement(properties, "property", name="attribute", value=f"{key}:{text}")
    if description:
        ElementTree.SubElement(properties, "property", name="description").text = junit.clean(description)
