# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks our C++ sources, not the generated ones.

python tools/clang.py format    fails on a file that clang-format would change
python tools/clang.py tidy      fails on a finding of clang-tidy, in the way engine/build compiles them
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"
BUILD = ENGINE / "build"


def sources(*suffixes: str) -> list[str]:
    """Our own files, relative to the repository."""
    found = (path.relative_to(ROOT) for suffix in suffixes for path in ENGINE.rglob(f"*{suffix}"))
    return sorted(str(path) for path in found if not path.parts[1].startswith("build"))


def check_format() -> int:
    """Exit status of clang-format over all files at once."""
    files = sources(".h", ".cc")
    print(f"clang-format: {len(files)} files", flush=True)
    return subprocess.run(["clang-format", "--dry-run", "--Werror", *files], cwd=ROOT, check=False).returncode


def check_tidy() -> int:
    """1 if any file of ours that is no test has a finding.

    All files of a folder are one unit: most of the time would go into the headers of DPDK, gRPC and protobuf,
    over and over again. One process a CPU.
    """
    # With the headers that it generates, which a program from the cache leaves out.
    compiled = {**os.environ, "TESTER_BUILD_CACHE": "off"}
    subprocess.run([sys.executable, ROOT / "tools" / "engine.py"], env=compiled, check=True)
    folders: dict[Path, list[Path]] = defaultdict(list)
    for name in sources(".cc"):
        file = ROOT / name
        if ENGINE / "src" in file.parents and not name.endswith("_test.cc"):
            folders[file.parent].append(file)
    # The build compiles several files as one; the program itself sees the headers of all libraries.
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    (main,) = (entry for entry in commands if "testerd.p" in entry["output"])
    words = shlex.split(main["command"])
    flags = words[words.index("-Itesterd.p") : words.index("-MD")]
    with ThreadPoolExecutor(os.cpu_count()) as pool, TemporaryDirectory() as units:
        found = pool.map(lambda files: _tidy(files, flags, main["directory"], Path(units)), folders.values())
        failed = sum(found)
    print(f"clang-tidy: {failed} of {len(folders)} folders with findings")
    return int(failed > 0)


def _tidy(files: list[Path], flags: list[str], directory: str, units: Path) -> bool:
    start = time.monotonic()
    folder = files[0].parent.relative_to(ENGINE)
    unit = units / f"{'_'.join(folder.parts)}.cc"
    unit.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in files))
    command = [
        "clang-tidy",
        "--quiet",
        "--warnings-as-errors=*",
        f"--config-file={ENGINE / '.clang-tidy'}",
        str(unit),
    ]
    result = subprocess.run(
        [*command, "--", *flags],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.monotonic() - start
    print(f"clang-tidy: {took:5.1f} s  {folder}, {len(files)} files\n{result.stdout}", end="", flush=True)
    if result.returncode and not result.stdout:
        print(result.stderr, flush=True)
    return result.returncode != 0


def main() -> int:
    """Exit status of the check that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    checks = {"format": check_format, "tidy": check_tidy}
    parser.add_argument("check", choices=checks)
    return checks[parser.parse_args().check]()


if __name__ == "__main__":
    sys.exit(main())
