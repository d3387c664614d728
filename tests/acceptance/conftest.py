# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testers at the kernel's own devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.opening import OpenTester

from .lab import Lab
from .nginx import nginx_in
from .opened import opened


@pytest.fixture
def tester(tmp_path: Path) -> Iterator[OpenTester]:
    """At the bridge."""
    with closing(opened("embedded/l2-bridge", tmp_path)) as tester:
        yield tester


@pytest.fixture(params=["embedded/l2-bridge", "embedded/l3-router"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenTester]:
    """At the bridge, then at the router."""
    with closing(opened(request.param, tmp_path)) as tester:
        yield tester


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """At the router."""
    with closing(opened("embedded/l3-router", tmp_path / "evidence")) as tester:
        yield Lab(tester)


@pytest.fixture
def nginx(lab: Lab, tmp_path: Path) -> Iterator[Lab]:
    """With nginx inside."""
    with nginx_in(lab, tmp_path) as serving:
        yield serving
