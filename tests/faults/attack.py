# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A library of a suite that attacks the service which runs it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROBOT_LIBRARY_SCOPE = "GLOBAL"


def attack(service: str, done: str) -> None:
    """Reads and writes what is not its own, and writes what it could do into the file that is its own."""
    folder, own = Path(service), Path.cwd()
    jobs = folder / "jobs"
    found = [f"uid {os.getuid()}", f"groups {os.getgroups()}"]
    lines = Path("/proc/self/status").read_text().splitlines()
    found += [line for line in lines if line.startswith("Cap") and int(line.split()[1], 16)]
    found += [line for line in lines if line == "NoNewPrivs:\t0"]
    wanted = [
        folder / "service.sqlite",
        folder / "service.sqlite-wal",
        folder.parent / "lab.key",
        Path(f"/proc/{os.getppid()}/environ"),
        *(jobs / name / "job.yaml" for name in known(folder.parent) if name != own.name),
        *(jobs / name / "run" / "evidence" / "run.json" for name in known(folder.parent) if name != own.name),
    ]
    for path in wanted:
        with contextlib.suppress(OSError):
            path.read_bytes()
            if path.parent.name != str(os.getppid()):
                found.append(f"read {path}")
    for path in (folder, jobs):
        with contextlib.suppress(OSError):
            found.append(f"listed {path}: {[file.name for file in path.iterdir()]}")
    for path in (folder / "service.sqlite", own / "job.log", own / "more"):
        with contextlib.suppress(OSError), path.open("ab"):
            found.append(f"opened {path}")
    with contextlib.suppress(OSError):
        os.setuid(0)
        found.append("became root")
    (own / "run" / "evidence" / "results.jsonl").symlink_to(jobs / "other" / "secret")
    # Out of the session, without the mark of the job, and not a child of anybody.
    code = "import time; time.sleep(300)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True, env={})
    (own / "run" / "found.json").write_text(json.dumps(found))
    until = time.monotonic() + 60
    while not Path(done).exists() and time.monotonic() < until:
        time.sleep(0.05)


def known(folder: Path) -> list[str]:
    """The jobs that there were before, whose names everybody may know."""
    return (folder / "known").read_text().split()
