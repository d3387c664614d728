# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs for the tests of this folder; without a compiler they are skipped, and say so."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.compiler import find_compiler

from .compiled import compiled
from .program import P4Program


@pytest.fixture(scope="session")
def program() -> P4Program:
    return _compiled("tofino")


@pytest.fixture(scope="session")
def program2() -> P4Program:
    return _compiled("tofino2")


@pytest.fixture(scope="session")
def paths() -> P4Program:
    return _compiled("inline")


def _compiled(profile: str) -> P4Program:
    try:
        find_compiler()
    except PlanError as absent:
        pytest.skip(str(absent))
    return compiled(profile)
