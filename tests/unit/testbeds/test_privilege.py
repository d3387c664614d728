# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.testbeds.privilege import is_privileged, missing_for_user_namespace


@pytest.mark.parametrize(
    ("effective", "expected"),
    [
        ("000001ffffffffff", True),
        ("0000000000201000", True),  # no more than is needed
        ("00000000a80425fb", False),  # root in a container
        ("0000000000000000", False),
    ],
)
def test_capabilities_decide_not_the_user(tmp_path: Path, effective: str, expected: bool) -> None:
    status = tmp_path / "status"
    status.write_text(f"Name:\tpython\nUid:\t0\t0\t0\t0\nCapEff:\t{effective}\n")
    assert is_privileged(status) is expected


@pytest.mark.parametrize(
    ("switch", "forbids", "allows"),
    [
        ("user/max_user_namespaces", "0", "96365"),
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ],
)
def test_the_switch_that_forbids_is_named_with_the_remedy(
    tmp_path: Path, switch: str, forbids: str, allows: str
) -> None:
    path = tmp_path / switch
    path.parent.mkdir(parents=True)
    path.write_text(f"{allows}\n")
    assert missing_for_user_namespace(tmp_path) == ""
    path.write_text(f"{forbids}\n")
    message = missing_for_user_namespace(tmp_path)
    name = switch.replace("/", ".")
    assert message.startswith(f"{name} = {forbids} forbids them")
    assert f"sudo sysctl -w {name}=" in message
