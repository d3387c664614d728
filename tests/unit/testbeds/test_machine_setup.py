# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester setup` on a machine whose root is a folder, and whose programs record their calls."""

import grp
import os
from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.testbeds import system_packages
from TesterLibrary.testbeds.machine_setup import CAPABILITIES, MachineSetup


class Machine:
    def __init__(self, folder: Path) -> None:
        self.root, self._calls, self.programs = folder / "root", folder / "calls", folder / "bin"
        self.pages = self.root / "proc/sys/vm/nr_hugepages"
        self.pages.parent.mkdir(parents=True)
        self.pages.write_text("7")
        self.engine = folder / "testerd"
        self.engine.touch(0o755)
        self.programs.mkdir()
        for name in ("apt-get", "setcap", "groupadd", "groupdel"):
            self.script(name, f'echo "{name} $*" >> {self._calls}')
        self.setup = MachineSetup(self.root)

    def script(self, name: str, text: str) -> None:
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{machine.programs}:{os.environ['PATH']}")
    monkeypatch.setattr(system_packages, "missing", lambda packages: [p for p in packages if p == "tayga"])
    return machine


OWN_GROUP = grp.getgrgid(os.getgid()).gr_name


def test_only_missing_packages_are_installed_and_removed(machine: Machine) -> None:
    assert list(machine.setup.apply(machine.engine)) == ["packages installed: tayga"]
    assert machine.calls[-1] == "apt-get install --yes --no-install-recommends tayga"
    assert list(machine.setup.undo()) == ["packages removed: tayga"]
    assert machine.calls[-1] == "apt-get remove --yes tayga"


def test_members_of_a_group_may_run_the_engine_until_that_is_undone(machine: Machine) -> None:
    _, line = machine.setup.apply(machine.engine, OWN_GROUP)
    assert OWN_GROUP in line
    assert machine.engine.stat().st_mode & 0o777 == 0o750
    assert f"setcap {CAPABILITIES}=ep {machine.engine}" in machine.calls
    list(machine.setup.undo())
    assert machine.engine.stat().st_mode & 0o777 == 0o755
    assert not any(call.startswith("groupdel") for call in machine.calls)


def test_without_an_engine_there_is_nothing_to_run(machine: Machine) -> None:
    with pytest.raises(TesterLibraryError, match="there is no testerd"):
        list(machine.setup.apply(None, "testers"))


def test_huge_pages_stay_over_a_boot_and_are_given_back(machine: Machine) -> None:
    settings = machine.root / "etc/sysctl.d/60-testerlibrary.conf"
    list(machine.setup.apply(machine.engine, huge_pages=64))
    assert machine.pages.read_text() == "64"
    assert "vm.nr_hugepages = 64" in settings.read_text()
    list(machine.setup.apply(machine.engine, huge_pages=32))
    list(machine.setup.undo())
    assert machine.pages.read_text() == "7"
    assert not settings.exists()


def test_changes_before_a_failure_are_undone(machine: Machine) -> None:
    machine.script("setcap", "echo no such capability >&2; exit 1")
    with pytest.raises(TesterLibraryError, match="no such capability"):
        list(machine.setup.apply(machine.engine, OWN_GROUP))
    machine.script("setcap", "true")
    assert "packages removed: tayga" in list(machine.setup.undo())
    assert machine.engine.stat().st_mode & 0o777 == 0o755


def test_undo_without_a_setup_says_so(machine: Machine) -> None:
    (line,) = machine.setup.undo()
    assert "nothing to undo" in line
