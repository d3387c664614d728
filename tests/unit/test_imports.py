# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules that the import of the library must not load: each Libdoc, dry run and editor waits for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from TesterLibrary import library

LATER = (
    "TesterLibrary.targets.engine.client",
    "TesterLibrary.targets.fake",
    "TesterLibrary.targets.simulated",
    "TesterLibrary.targets.tofino",
    "TesterLibrary.service",
    "TesterLibrary.commands",
    "grpc",
    "jinja2",
    "matplotlib",
    "numpy",
    "pyroute2",
    "scapy",
    "z3",
)
PROGRAM = """
import sys
from TesterLibrary import TesterLibrary
TesterLibrary()
print(*sys.modules)
"""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_library_is_loaded(loaded: set[str]) -> None:
    assert library.__name__ in loaded


@pytest.mark.parametrize("name", LATER)
def test_it_is_imported_when_it_is_used(loaded: set[str], name: str) -> None:
    assert name not in loaded
