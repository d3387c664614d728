# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts of one's own: programs that run there over SSH or behind a command, and what they say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from TesterLibrary.errors import TestbedError, TesterLibraryError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.hosts import Hosts
from TesterLibrary.testbeds import RunningTestbed, load_testbed
from TesterLibrary.testbeds.testbed import HostSpec, Testbed

FILE = """
version: 1
name: lab
ports:
  - {name: p1, speed: 1 Gbps, interface: "iface:a"}
hosts:
  here: {}
  load: {command: env WHERE=load}
  far: {ssh: root@192.0.2.9}
dut: {name: Device, kind: physical}
"""
MINUTE = Duration(60 * 10**9)


class Lab:
    """A testbed with hosts, none of which needs a tester."""

    dut_cpu = None

    def __init__(self, testbed: Testbed) -> None:
        self.testbed = testbed
        self.hosts = tuple(testbed.hosts)

    def host_command(self, name: str, words: list[str], *, terminal: bool = False) -> list[str]:
        return self.testbed.hosts[name].runs(words, terminal=terminal)

    def device_command(self, words: list[str]) -> list[str]:
        assert self.testbed.dut.shell is not None
        return self.testbed.dut.shell.runs(words)


@pytest.fixture
def near(tmp_path: Path) -> Iterator[Hosts]:
    """None of them is asked over the network."""
    yield from opened(tmp_path, FILE.replace("  far: {ssh: root@192.0.2.9}\n", ""))


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    yield from opened(tmp_path, FILE)


def opened(tmp_path: Path, text: str) -> Iterator[Hosts]:
    file = tmp_path / "lab.yaml"
    file.write_text(text)
    hosts = Hosts(cast(RunningTestbed, Lab(load_testbed(str(file)))), tmp_path / "hosts")
    yield hosts
    hosts.close()


def logs(tmp_path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted((tmp_path / "hosts").iterdir())}


def test_a_program_runs_behind_the_words_of_its_host(hosts: Hosts, tmp_path: Path) -> None:
    assert hosts.names == ("here", "load", "far")
    assert hosts.run("load", "sh -c 'echo at $WHERE'", status=0, timeout=MINUTE).stdout == "at load\n"
    with pytest.raises(TesterLibraryError, match="ended with status 3, not 0: no"):
        hosts.run("here", "sh -c 'echo no; exit 3'", status=0, timeout=MINUTE)
    found = logs(tmp_path)
    assert list(found) == ["001-load-sh.log", "002-here-sh.log"]
    assert found["001-load-sh.log"] == "$ sh -c 'echo at $WHERE'\nat load\n\nended with status 0\n"


def test_arguments_are_words_as_they_are(hosts: Hosts, tmp_path: Path) -> None:
    """A text of a variable is one word, whatever is in it."""
    text = "two words --option 'quote"
    done = hosts.run("here", "printf", ["%s|", text], status=0, timeout=MINUTE)
    assert done.stdout == f"{text}|"
    with pytest.raises(TesterLibraryError, match=r"'two words.* x\" on host here: No such"):
        hosts.start("here", "two words", "load", ["x"])
    with pytest.raises(TesterLibraryError, match="cannot be split into words: No closing quotation"):
        hosts.run("here", text, status=0, timeout=MINUTE)
    hosts.start("here", "printf", "load", ["%s|", text])
    assert hosts.stop("load", wait=MINUTE).stdout == f"{text}|"
    assert hosts.watch("here", "cat", [f"{tmp_path}/a b"]) == f"cat '{tmp_path}/a b'"
    (tmp_path / "a b").write_text("packets: 3\n")
    hosts.mark()
    (tmp_path / "a b").write_text("packets: 5\n")
    assert hosts.counter("here", f"cat  '{tmp_path}/a b'", "packets") == 2


def test_words_reach_a_host_over_ssh_as_they_are(
    hosts: Hosts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        '#!/bin/sh\necho "$@" >> "$(dirname "$0")/asked"\n'
        'while [ "$1" != -- ]; do shift; done\nshift\nexec sh -c "$*"\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    done = hosts.run("far", "printf '%s|' 'two words' \"it's\"", status=0, timeout=MINUTE)
    assert done.stdout == "two words|it's|"
    hosts.start("far", "true", "load")
    assert hosts.stop("load", wait=MINUTE).status == 0
    asked = (ssh.parent / "asked").read_text().splitlines()
    assert "root@192.0.2.9 -- printf" in asked[0]
    assert "-tt" not in asked[0]
    assert "-tt root@192.0.2.9 -- true" in asked[1]


def test_a_program_runs_until_it_is_stopped(hosts: Hosts, tmp_path: Path) -> None:
    hosts.start("here", "sh -c 'echo begun; exec sleep 60'", "load")
    with pytest.raises(TesterLibraryError, match="'load' runs already"):
        hosts.start("here", "true", "load")
    with pytest.raises(TesterLibraryError, match="has not ended within 1 s"):
        hosts.stop("load", wait=Duration(10**9))
    with pytest.raises(TesterLibraryError, match="no program 'load' runs on a host; call Start On Host"):
        hosts.stop("load")
    (log,) = logs(tmp_path).values()
    assert log == "$ sh -c 'echo begun; exec sleep 60'\nbegun\n\nended with status -15\n"


def test_a_program_that_ends_by_itself_is_waited_for(hosts: Hosts) -> None:
    hosts.start("here", "sh -c 'echo done; exit 4'", "load")
    done = hosts.stop("load", wait=MINUTE)
    assert (done.status, done.stdout) == (4, "done\n")
    hosts.start("here", "sh -c 'echo done; exit 4'", "load")
    assert hosts.end("load") == ""


def test_a_program_that_is_not_there_is_an_error(hosts: Hosts) -> None:
    with pytest.raises(TesterLibraryError, match="'no-such-program' on host here: No such file"):
        hosts.start("here", "no-such-program", "load")
    with pytest.raises(TesterLibraryError, match="no command"):
        hosts.run("here", "", status=0, timeout=MINUTE)
    with pytest.raises(TestbedError, match="there is no host 'here'"):
        Hosts(None, Path("nowhere")).run("here", "true", status=0, timeout=MINUTE)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (("{ssh: root@192.0.2.9}", "{ssh: root@192.0.2.9, command: env}"), "hosts.far: give ssh or command"),
        (("{ssh: root@192.0.2.9}", "{ssh: -oProxyCommand=x}"), "hosts.far.ssh: .*give user@host"),
        (("kind: physical}", "kind: simulated}"), "only a physical device has hosts of your own"),
    ],
)
def test_a_file_is_refused_where_its_hosts_are_wrong(
    tmp_path: Path, change: tuple[str, str], refusal: str
) -> None:
    file = tmp_path / "lab.yaml"
    file.write_text(
        FILE.replace(*change).replace(
            ', interface: "iface:a"', "" if "simulated" in change[1] else ', interface: "iface:a"'
        )
    )
    with pytest.raises(TestbedError, match=refusal):
        load_testbed(str(file))


def test_a_host_is_this_machine_if_nothing_is_said() -> None:
    assert HostSpec().runs(["true"]) == ["true"]


def test_counters_of_any_source_count_from_the_mark(near: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "counters"
    file.write_text("naks 3\nsent 10\n")
    source = f"cat {file}"
    with pytest.raises(TesterLibraryError, match="call Set Counter Source before it"):
        near.counter("here", source, "naks")
    near.watch("here", source)
    near.mark()
    file.write_text("naks 5\nsent 9\n")
    assert near.counter("here", source, "naks") == 2
    assert near.counter("here", source, "nak") == (
        f"{source!r} of host here has no counter 'nak' (did you mean 'naks'?)"
    )
    assert near.counter("here", source, "sent") == f"sent of {source!r} on host here went back from 10 to 9"
    file.unlink()
    assert "No such file" in str(near.counter("here", source, "naks"))


def test_what_could_not_be_read_at_the_mark_is_not_counted_from_zero(near: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "counters"
    file.write_text("[1, 2")
    near.watch("here", f"cat {file}")
    near.mark()
    file.write_text("naks 5\n")
    assert "printed what is no counters" in str(near.counter("here", f"cat {file}", "naks"))


def test_what_no_trace_can_have_is_told(near: Hosts, tmp_path: Path) -> None:
    """A counter that goes on while paths are started, or behind the end of a trace."""
    source, file = f"cat {tmp_path}/frames", tmp_path / "frames"

    def counted(*values: int, path: str = "wan") -> str:
        for value, step in zip(
            values, (near.mark, near.settle, lambda: near.trace_ends("wan"), None), strict=True
        ):
            file.write_text(f"sent {value}\n")
            if step:
                step()
        return near.moved("load", source, "sent", near.counter("load", source, "sent"), path)

    near.watch("load", source)
    assert counted(5, 5, 9, 9) == ""
    assert counted(5, 6, 9, 9) == "1 of sent of load were counted while paths were started"
    assert counted(5, 5, 9, 11) == "2 of sent of load were counted after the trace had ended"
    assert counted(5, 5, 9, 11, path="lan") == ""
    near.trace_ends("wan")
    assert "counted after" in near.moved("load", source, "sent", near.counter("load", source, "sent"), "wan")
    assert near.moved("load", source, "sent", "no such counter", "wan") == ""


def test_a_program_runs_in_the_device(tmp_path: Path) -> None:
    shell = FILE.replace("kind: physical}", "kind: physical, shell: {command: env WHERE=inside}}")
    for hosts in opened(tmp_path, shell):
        assert hosts.run_in_device("printenv WHERE", status=0, timeout=MINUTE).stdout == "inside\n"
        with pytest.raises(
            TesterLibraryError, match="'false' in the device ended with status 1, not 0: it said"
        ):
            hosts.run_in_device("false", status=0, timeout=MINUTE)
        with pytest.raises(TesterLibraryError, match="'sleep 9' in the device has not ended within 50 ms"):
            hosts.run_in_device("sleep 9", status=0, timeout=Duration(50 * 10**6))
    kept = sorted(path.name for path in tmp_path.rglob("*-device-*.log"))
    assert kept == ["001-device-printenv.log", "002-device-false.log", "003-device-sleep.log"]


def test_a_device_that_nobody_can_enter_says_what_to_give() -> None:
    for name, why in (
        ("tofino-fake", "give dut.shell in its file"),
        ("simulated/queue", "a simulated device has no"),
    ):
        with pytest.raises(TestbedError, match=f"no program can be run in its device; {why}"):
            RunningTestbed(load_testbed(name)).device_command(["true"])
