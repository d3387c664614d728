# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Approved texts, excuses of the machine, and what a model of a chip needs.

Tests on a model skip, and say why, where SDE_INSTALL names no SDE with a model.
"""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

from TesterLibrary.p4 import sources
from TesterLibrary.p4.build import DEFAULT_PROTOCOLS, generate
from TesterLibrary.targets.tofino.session import daemon
from TesterLibrary.targets.tofino.session.vendor_model import SCOPES, missing
from TesterLibrary.testbeds.privilege import is_privileged

from . import excuses
from .approval import Approved
from .examples import examples

# How long an example takes tells of the machine.
settings.register_profile("any machine", deadline=None, max_examples=examples(100))
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--approve", action="store_true", help="write the files of approved texts anew")


def pytest_configure(config: pytest.Config) -> None:
    excuses.install(config)
    gc.disable()  # until tests are collected: nothing of them, and of all that they import, is garbage


def pytest_collection_finish() -> None:
    """Thousands of tests and all that they import are no garbage, and are not looked through again."""
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """More than CPUs: tests wait, for processes and for seconds that must go by."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture
def approved(request: pytest.FixtureRequest) -> Approved:
    """Compares texts with files in `approved/` beside the test."""
    return Approved(request.path.parent / "approved", request.config.getoption("--approve"))


_PROFILE = "tofino"
_BUILT = Path("results") / "p4" / _PROFILE  # where `make tofino-model` compiles


@pytest.fixture(scope="session")
def install() -> Path:
    root = os.environ.get("SDE_INSTALL")
    if not root:
        pytest.skip("SDE_INSTALL names no SDE with a model")
    if absent := missing(Path(root)):
        pytest.skip(f"the SDE has no {', '.join(absent)}")
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    return Path(root).resolve()


@pytest.fixture(scope="session")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = _BUILT / "resources.json"
    if not report.is_file():
        pytest.skip(f"{report} is not there; `make tofino-model` compiles the program")
    now = sources.digest(sources.profile(_PROFILE), generate(DEFAULT_PROTOCOLS))
    if now != json.loads(report.read_text(encoding="utf-8"))["sources_sha256"]:
        pytest.skip(f"{report} is of other sources; `make tofino-model` compiles the program anew")
    path = tmp_path_factory.mktemp("daemon") / "daemon.conf"
    path.write_text(json.dumps(daemon.configuration(_BUILT, _PROFILE, _PROFILE, SCOPES)), encoding="utf-8")
    return path
