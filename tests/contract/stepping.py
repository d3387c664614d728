# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine whose wall clock steps by an hour at each reading, for one process."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

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


def stepping_clock(folder: Path) -> Path:
    """A library that makes it so for a process that is started with it (LD_PRELOAD)."""
    source, library = folder / "stepping.c", folder / "stepping.so"
    source.write_text(STEPPING, encoding="utf-8")
    compiler = shutil.which("cc")
    assert compiler, "the engine was built with one"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library
