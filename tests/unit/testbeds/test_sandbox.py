# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders of the machine that programs of hosts may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.testbeds import sandbox


def test_a_folder_that_holds_more_than_suites_is_not_shown(tmp_path: Path) -> None:
    """Nor is one that would hide what the sandbox has of its own."""
    assert sandbox._may_be_shown(tmp_path)
    for folder in ("/", "/root", "/home", "/etc", "/etc/ssl", "/tmp", "/proc/self", "/usr/share", "/dev/shm"):
        assert not sandbox._may_be_shown(Path(folder)), folder
    assert not sandbox._may_be_shown(tmp_path / "absent")


def test_the_root_of_a_sandbox_hides_nothing_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = sandbox._root(tmp_path)
    assert free in (Path("/mnt"), Path("/media"), Path("/srv"))
    assert sandbox._root(free / "suites") != free
    for name in ("/mnt/x", "/media/y", "/srv"):
        monkeypatch.syspath_prepend(name)
    with pytest.raises(sandbox.TestbedError, match="fill /mnt, /media and /srv; leave one of them free"):
        sandbox._root(None)
