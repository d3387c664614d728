# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The place in the run to which a record belongs."""

from __future__ import annotations

from dataclasses import dataclass

EVIDENCE = "evidence"  # the folder of records, in that of a run
CERTIFICATE = "certificate.html"
ROBOT = "robot"  # what each Robot run wrote, before they are merged
ALLURE_RESULTS = "allure-results"


@dataclass(frozen=True)
class RecordPlace:
    """The place in the run to which a record belongs."""

    testbed: str = ""
    suite: str = ""
    test: str = ""
