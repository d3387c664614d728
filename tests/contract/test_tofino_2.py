# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients and what answers them on a switch with a Tofino 2 do what they do on every target."""

from __future__ import annotations

import pytest

from .rig import SwitchRig
from .test_small_clients import (
    sessions,
    test_a_flood_opens_nothing_and_counts_its_answers,
    test_each_connection_is_answered_once,
    test_flows_of_all_lengths_have_exact_counts,
)

__all__ = [
    "sessions",
    "test_a_flood_opens_nothing_and_counts_its_answers",
    "test_each_connection_is_answered_once",
    "test_flows_of_all_lengths_have_exact_counts",
]

pytestmark = pytest.mark.fakes


@pytest.fixture
def rig() -> SwitchRig:
    return SwitchRig(profile="tofino2")
