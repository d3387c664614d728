# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Somebody sets the machine's clock while it measures."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.process import EngineProcess

from .rig import Rig

# Every reading of the wall clock is an hour before or after the one before; other clocks are the kernel's.
STEPPING = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int readings;

int clock_gettime(clockid_t clock, struct timespec *now) {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && clock == CLOCK_REALTIME)
    now->tv_sec += __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED) % 2 ? 3600 : -3600;
  return (int)failed;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec at;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &at);
  now->tv_sec = at.tv_sec;
  now->tv_usec = at.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (now) *now = at.tv_sec;
  return at.tv_sec;
}
"""


@pytest.fixture
def rig(engine: EngineProcess, tmp_path: Path) -> Iterator[Rig]:
    """A rig on an engine whose wall clock steps by an hour at each reading."""
    del engine  # where there is none, this test is skipped as others are
    source, library = tmp_path / "stepping.c", tmp_path / "stepping.so"
    source.write_text(STEPPING, encoding="utf-8")
    compiler = shutil.which("cc")
    assert compiler, "the engine was built with one"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    preload = ["env", f"LD_PRELOAD={library}"]
    process = EngineProcess.launch(ports={"p1": "loop:y", "p2": "loop:y"}, command_prefix=preload)
    assert str(library) in Path(f"/proc/{process.pid}/maps").read_text()
    yield Rig(process.target())
    process.stop()


def test_steps_of_the_wall_clock_do_not_matter(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    for _ in range(4):
        rig.pass_time(0.05)
        rig.target.flip(["north"])
    rig.target.stop(["north"])
    snapshot = rig.settled(["north"])
    (counted,) = snapshot.streams
    assert counted.tx_packets == counted.rx_packets > 1000
    assert counted.latency.max_ns < 10**9
    assert 10**8 < counted.last_rx_ns - counted.first_tx_ns < 10**10
    assert [v.rx_packets for v in counted.versions] == [v.tx_packets for v in counted.versions]
    clock = snapshot.clock
    drift = (clock.engine_now_ns - clock.engine_start_ns) - (clock.raw_now_ns - clock.raw_start_ns)
    assert abs(drift) < 10**6


def test_a_trial_ends_when_it_should(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    (counted,) = rig.run(["north"], packets=2000).streams
    assert counted.intended_packets == counted.rx_packets == 2000
    assert counted.last_tx_ns - counted.first_tx_ns < 10**9
