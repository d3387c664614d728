# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A model of a chip with the program in it, and a client of its daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.p4.build import shipped
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.schema import Schema

from .running import RunningModel

_PROFILE = "tofino"


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
