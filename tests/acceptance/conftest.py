# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testers at the kernel's own devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.running.opening import OpenTestbed

from .lab import Lab
from .nginx import nginx_in
from .opened import opened
from .repeats import Repeats

_SECONDS = 900  # of a test, in which a suite may be repeated


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Repeats(Path(__file__).parent), "repeats")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_SECONDS))


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[OpenTestbed]:
    """An open testbed with the bridge."""
    with closing(opened("embedded/l2-bridge", tmp_path)) as bed:
        yield bed


@pytest.fixture(params=["embedded/l2-bridge", "embedded/l3-router"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenTestbed]:
    """An open testbed with the bridge, then one with the router."""
    with closing(opened(request.param, tmp_path)) as bed:
        yield bed


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """The lab at the router."""
    with closing(opened("embedded/l3-router", tmp_path / "evidence")) as bed:
        yield Lab(bed)


@pytest.fixture
def nginx(lab: Lab, tmp_path: Path) -> Iterator[Lab]:
    """The lab with nginx inside."""
    with nginx_in(lab, tmp_path) as serving:
        yield serving
