# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers of IPv6 on a switch with a Tofino 2 do what they do on an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from .ipv6_build import ipv6_build
from .rig import SwitchRig
from .test_ipv6_servers import (
    querying,
    test_names_are_answered_over_ipv6,
    test_requests_are_answered_over_ipv6,
)

__all__ = ["querying", "test_names_are_answered_over_ipv6", "test_requests_are_answered_over_ipv6"]

pytestmark = pytest.mark.fakes


@pytest.fixture
def rig(tmp_path: Path) -> SwitchRig:
    return SwitchRig(profile="tofino2", built=ipv6_build(tmp_path))
