# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks that reset a device: what they run, and what is said where they fail or hang."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from robot.libraries.BuiltIn import BuiltIn

from TesterLibrary.errors import Inconclusive, TestbedError, TesterLibraryError
from TesterLibrary.methodology.reset import ResetKind
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.hooks.hook_process import LeftBehind
from TesterLibrary.running.hooks.reset import Hook, filter_hooks, replaced_device, reset_hook
from TesterLibrary.testbeds import load_testbed
from TesterLibrary.testbeds.testbed import DutSpec, ResetHook

SOON = Duration(300_000_000)
LEFT = LeftBehind()  # by hooks that succeeded
# Leaves its group and its parent, as a daemon does.
DAEMON = "for n in 1 2; do setsid sh -c 'echo $$ >> {pids}; exec sleep 60' >/dev/null 2>&1 & done;"


def hook_of(hook: ResetHook | None, kind: ResetKind = ResetKind.SOFTWARE, **testbed: Any) -> Hook:
    dut = DutSpec("Device", reset={"software": hook} if hook else {})
    described = SimpleNamespace(testbed=SimpleNamespace(dut=dut), **testbed)
    opened: Any = SimpleNamespace(
        name="lab",
        testbed=described,
        tester=SimpleNamespace(target=SimpleNamespace(device=None)),
        left_behind=LEFT,
    )
    return reset_hook(opened, kind)


def test_a_command_is_run_without_a_shell(tmp_path: Path) -> None:
    mark = tmp_path / "a b; c"
    hook = hook_of(ResetHook(command=("touch", str(mark))))
    hook.run()
    assert mark.exists()
    assert str(hook) == f"the command \"touch '{mark}'\""


def test_a_command_over_ssh_asks_no_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = tmp_path / "said"
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    hook_of(ResetHook(command=("reload", "now"), ssh="admin@10.0.0.1")).run()
    assert said.read_text() == "-o BatchMode=yes -o ConnectTimeout=10 admin@10.0.0.1 -- reload now\n"


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("sh", "-c", "echo no route to host >&2; exit 3"), "ended with status 3: no route to host"),
        (("false",), "ended with status 1: it said nothing"),
        (("/nowhere/reload",), "cannot be run: No such file or directory"),
    ],
)
def test_a_command_that_fails_is_inconclusive(command: tuple[str, ...], what: str) -> None:
    with pytest.raises(Inconclusive) as caught:
        hook_of(ResetHook(command=command)).run()
    assert caught.value.reason.startswith("the device was not reset: the command ")
    assert caught.value.reason.endswith(what)


def test_a_command_that_hangs_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    mark = tmp_path / "late"
    child = f"(sleep 2; touch {mark}) & wait"
    with pytest.raises(Inconclusive, match="did not end within 300 ms"):
        hook_of(ResetHook(command=("sh", "-c", child), timeout=SOON)).run()
    time.sleep(2.2)
    assert not mark.exists()


def are_running(pids: Path) -> list[bool]:
    """Whether each process that was noted there runs; two are to be noted."""
    give_up = time.monotonic() + 60
    while not pids.exists() or len(pids.read_text().split()) < 2:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    return [Path(f"/proc/{pid}").exists() for pid in pids.read_text().split()]


def test_what_a_hook_leaves_behind_ends_with_the_run(tmp_path: Path) -> None:
    """It has called setsid, and its parent is gone: a group of processes is not what it is known by."""
    pids = tmp_path / "pids"
    hook_of(ResetHook(command=("sh", "-c", DAEMON.format(pids=pids)))).run()
    assert are_running(pids) == [True] * 2, "a device may be reset by what goes on"
    LEFT.close()
    assert are_running(pids) == [False] * 2
    for _ in range(2):
        hook_of(ResetHook(command=("true",))).run()
        assert len(LEFT._processes) == 1, "of what leaves nothing behind nothing is kept"
        LEFT._processes[0]._keeper.wait(60)


@pytest.mark.parametrize(
    ("last", "seconds", "what"), [("sleep 60", 3, "did not end within 3 s"), ("exit 3", 60, "status 3")]
)
def test_what_a_hook_that_fails_leaves_behind_ends_with_it(
    tmp_path: Path, last: str, seconds: int, what: str
) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    both_run = f'until [ "$(wc -l < {pids})" = 2 ]; do sleep 0.05; done'
    command = ("sh", "-c", f"{DAEMON.format(pids=pids)} {both_run}; {last}")
    with pytest.raises(Inconclusive, match=what):
        hook_of(ResetHook(command=command, timeout=Duration(seconds * 10**9))).run()
    assert are_running(pids) == [False] * 2


def test_what_a_hook_leaves_behind_does_not_outlive_a_killed_run(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = (
        "import sys, time; from TesterLibrary.running.hooks.hook_process import HookProcess\n"
        "from TesterLibrary.model.units.units import Duration\n"
        "process = HookProcess(['sh', '-c', sys.argv[1]], Duration(10**10)); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, DAEMON.format(pids=pids)]) as run:
        assert are_running(pids) == [True] * 2
        run.kill()
    give_up = time.monotonic() + 60
    while any(are_running(pids)) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert are_running(pids) == [False] * 2


_HOOKS_BESIDE_GRPC = """
import os, sys, threading, time
from concurrent import futures
import grpc
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.hooks.hook_process import HookProcess
server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_insecure_port(sys.argv[1])
server.start()
call = grpc.insecure_channel(sys.argv[1]).unary_unary("/nobody/answers")
def ask():
    while True:
        try:
            call(b"", wait_for_ready=True)
        except grpc.RpcError:
            pass
threading.Thread(target=ask, daemon=True).start()
time.sleep(0.2)
for _ in range(15):
    with HookProcess(["sleep", "0.05"], Duration(10**10)) as process:
        assert not list(process.said())
        assert process.status() == 0
os._exit(0)
"""


def test_a_hook_runs_while_the_tester_is_asked(tmp_path: Path) -> None:
    # gRPC starts its threads again in each fork of the run: half of the keepers were aborted.
    address = f"unix:{tmp_path}/server"
    run = subprocess.run(
        [sys.executable, "-c", _HOOKS_BESIDE_GRPC, address], stderr=subprocess.PIPE, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr.decode()


def test_filters_are_loaded_and_taken_out_by_hooks_of_their_own(tmp_path: Path) -> None:
    mark = tmp_path / "filters"
    hooks = {
        "filters": ResetHook(command=("touch", str(mark))),
        "no_filters": ResetHook(command=("rm", str(mark))),
    }
    described = SimpleNamespace(testbed=SimpleNamespace(dut=DutSpec("Device", reset=hooks)))
    opened: Any = SimpleNamespace(name="lab", testbed=described, left_behind=LEFT)
    load, remove = filter_hooks(opened)
    load.run()
    assert mark.exists()
    remove.run()
    assert not mark.exists()
    del hooks["no_filters"]
    with pytest.raises(TestbedError, match=r"no hook that takes filters out \(it has filters\); give dut.r"):
        filter_hooks(opened)


def test_a_keyword_is_run_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, ...]] = []
    monkeypatch.setattr(BuiltIn, "run_keyword", lambda _, *words: called.append(words))
    hook_of(ResetHook(keyword="Press Button", arguments=("3", "long"))).run()
    assert called == [("Press Button", "3", "long")]


def test_a_keyword_that_fails_or_hangs_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise AssertionError("the outlet is locked")

    monkeypatch.setattr(BuiltIn, "run_keyword", fails)
    with pytest.raises(Inconclusive, match="the keyword 'Press Button' failed: the outlet is locked"):
        hook_of(ResetHook(keyword="Press Button")).run()
    monkeypatch.setattr(BuiltIn, "run_keyword", lambda *_: time.sleep(60))
    began = time.monotonic()
    with pytest.raises(Inconclusive, match="the keyword 'Press Button' did not end within 300 ms"):
        hook_of(ResetHook(keyword="Press Button", timeout=SOON)).run()
    assert time.monotonic() - began < 60


def test_a_keyword_that_hangs_is_named_whatever_robot_makes_of_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hangs(*_: Any) -> None:
        try:
            time.sleep(60)
        except BaseException as error:
            raise AssertionError(type(error).__name__) from None

    monkeypatch.setattr(BuiltIn, "run_keyword", hangs)
    with pytest.raises(Inconclusive, match="the keyword 'Press Button' did not end within 300 ms"):
        hook_of(ResetHook(keyword="Press Button", timeout=SOON)).run()


def test_outside_robot_a_keyword_is_a_mistake() -> None:
    with pytest.raises(TesterLibraryError, match="within Robot Framework only"):
        hook_of(ResetHook(keyword="Press Button")).run()


def test_a_testbed_that_is_gone_did_not_reset_its_device() -> None:
    def gone(_: Duration) -> None:
        raise TestbedError("its host process ended")

    hook = hook_of(ResetHook(restart=SOON), restart=gone)
    with pytest.raises(Inconclusive, match=r"a restart that takes 300 ms its host process ended"):
        hook.run()


def test_a_testbed_without_a_hook_says_what_to_write() -> None:
    for hook, known in ((None, ""), (ResetHook(command=("x",)), r" \(it has software\)")):
        with pytest.raises(TestbedError, match=rf"no hook for a power reset{known}; give dut.reset.power"):
            hook_of(hook, ResetKind.POWER)


def test_another_device_in_its_place_is_noticed() -> None:
    answers: dict[str, Any] = {"p1": b"\2\0\0\0\0\7", "p2": Inconclusive("nobody answers")}

    def resolve(port: str, *_: Any, **__: Any) -> bytes:
        if isinstance(answers[port], Exception):
            raise answers[port]
        return bytes(answers[port])

    port = SimpleNamespace(gateway="10.0.0.1", address=SimpleNamespace(ip="10.0.0.2"), mac=b"")
    tester: Any = SimpleNamespace(
        gateways={"p1": b"\2\0\0\0\0\1", "p2": b"\2\0\0\0\0\2"},
        ports={"p1": port, "p2": port},
        target=SimpleNamespace(frames=SimpleNamespace(resolve=resolve)),
    )
    assert "02:00:00:00:00:07 in place of 02:00:00:00:00:01" in replaced_device(tester)
    answers["p1"] = b"\2\0\0\0\0\1"
    assert replaced_device(tester) == ""


DUT = """\
version: 1
name: lab
ports: [{name: p1, interface: iface:eth1, speed: 10 Gbps}, {name: p2, interface: iface:eth2, speed: 10 Gbps}]
dut:
  name: Device
  kind: physical
  reset:
    software: HOOK
"""


def loaded(folder: Path, hook: str) -> ResetHook:
    path = folder / "lab.yaml"
    path.write_text(DUT.replace("HOOK", hook))
    return load_testbed(str(path)).dut.reset["software"]


def test_hooks_are_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, "{command: reload 'all of it', ssh: root@dut, timeout: 5 s}") == ResetHook(
        command=("reload", "all of it"), ssh="root@dut", timeout=Duration(5 * 10**9)
    )
    assert loaded(tmp_path, "{command: [reload, now]}").command == ("reload", "now")
    assert loaded(tmp_path, "{keyword: Cut Power, arguments: [outlet, 3]}").arguments == ("outlet", "3")


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("{}", "lab.yaml:8: dut.reset.software: give command, keyword or restart, one of them"),
        ("{command: x, keyword: Y}", "give command, keyword or restart, one of them"),
        ("{keyword: X, ssh: a@b}", "dut.reset.software.ssh: only with command"),
        ("{command: x, arguments: [1]}", "dut.reset.software.arguments: only with keyword"),
        ("{command: x, ssh: -oProxyCommand=x}", "give user@host"),
        ("{command: x, timeout: 0 s}", "dut.reset.software.timeout: give a time above 0"),
        ('{command: "x \'y"}', "dut.reset.software.command: No closing quotation"),
        (
            "{restart: 1 s}",
            "only for an embedded device that can be restarted: bridge, gateway",
        ),
    ],
)
def test_a_hook_without_sense_is_refused(hook: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TestbedError) as caught:
        loaded(tmp_path, hook)
    assert message in str(caught.value)
