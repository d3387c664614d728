# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The checks that imports of Python do not go round, and that includes of the engine point one way."""

from __future__ import annotations

import pytest

from tools.layers import circle, findings, main


@pytest.mark.parametrize(
    ("folder", "include"),
    [
        ("stats", '"responder/responder_counters.h"'),
        ("base", '"wire/bytes.h"'),
        ("generator", '"tester/v1/plan.pb.h"'),
        ("port", "<google/protobuf/message.h>"),
        ("responder", "<rte_mbuf.h>"),
    ],
)
def test_an_include_that_points_up_is_found(folder: str, include: str) -> None:
    assert len(findings(folder, "file.h", f"#pragma once\n#include {include}\n")) == 1


@pytest.mark.parametrize(
    ("folder", "include"),
    [
        ("responder", '"stats/latency.h"'),
        ("wire", '"wire/bytes.h"'),
        ("plan", '"tester/v1/plan.pb.h"'),
        ("worker", "<rte_mbuf.h>"),
        ("base", "<vector>"),
    ],
)
def test_an_include_that_points_down_is_allowed(folder: str, include: str) -> None:
    assert findings(folder, "file.h", f"#include {include}\n") == []


def test_a_file_in_a_room_of_a_folder_is_checked_and_named() -> None:
    (finding,) = findings("inline", "stamps/stamp.h", '#include "worker/clock.h"\n')
    assert finding == "engine/src/inline/stamps/stamp.h includes worker/clock.h; inline may not"


def test_a_test_may_use_its_own_library_and_nothing_above() -> None:
    assert findings("wire", "a_test.cc", '#include "responder/flows/flow.h"\n') == []
    assert len(findings("receiver", "a_test.cc", '#include "snapshot/merge.h"\n')) == 1
    assert len(findings("receiver", "a_test.cc", '#include "tester/v1/counters.pb.h"\n')) == 1


def test_a_circle_of_imports_is_found_wherever_it_is() -> None:
    around = circle({"a.x": {"b.y"}, "b.y": {"a.z"}, "a.z": {"a.x", "c"}, "c": set()})
    assert around[0] == around[-1]
    assert "-> ".join(around[:-1] * 2).find("a.x-> b.y-> a.z") >= 0
    assert circle({"a.x": {"b.y", "c"}, "b.y": {"c"}, "c": set()}) == []


def test_the_project_imports_and_includes_one_way() -> None:
    assert main() == 0
