# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs where SDE_INSTALL names an SDE with a model; skips, and says why, where it does not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.p4 import sources
from TesterLibrary.p4.build import DEFAULT_PROTOCOLS, generate, shipped
from TesterLibrary.targets.tofino.remote import RemoteSwitch
from TesterLibrary.targets.tofino.schema import Schema
from TesterLibrary.testbeds.privilege import is_privileged

from .running import RunningModel, missing

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
def configuration() -> Path:
    path = _BUILT / f"{_PROFILE}.conf"
    if not path.is_file():
        pytest.skip(f"{path} is not there; `make tofino-model` compiles it")
    now = sources.digest(sources.profile(_PROFILE), generate(DEFAULT_PROTOCOLS))
    if now != json.loads((_BUILT / "resources.json").read_text(encoding="utf-8"))["sources_sha256"]:
        pytest.skip(f"{path} is of other sources; `make tofino-model` compiles it anew")
    return path.resolve()


@pytest.fixture(scope="session")
def model(
    install: Path, configuration: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningModel]:
    running = RunningModel(install, configuration, tmp_path_factory.mktemp("model"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def schema() -> Schema:
    return Schema.load(shipped(_PROFILE) / "bf-rt.json")


@pytest.fixture
def switch(model: RunningModel, schema: Schema) -> Iterator[RemoteSwitch]:
    """Bound, with empty tables."""
    client = model.client()
    try:
        client.bind()
        client.clear([table.name for table in schema.tables.values() if table.written])
        yield client
    finally:
        client.close()
