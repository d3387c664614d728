# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds testerd with meson and puts it where the library looks for it: TesterLibrary/_engine/testerd.

    python3 tools/engine.py         release build; also what setup.py does
    python3 tools/engine.py static  one that needs no library of this machine, for a wheel (wheels.py)
    python3 tools/engine.py test    its tests, under AddressSanitizer and UndefinedBehaviorSanitizer
    python3 tools/engine.py ahead   begins to build these on what others leave of the CPUs, and returns
    python3 tools/engine.py fuzz    libFuzzer for some seconds a target; `make test-long`
    python3 tools/engine.py race    tests of ports, workers and tester under ThreadSanitizer; `make test-long`

Needs nothing but the standard library. What was built from the same inputs before is copied (build_cache.py).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # neither as a script nor in pip's build is it there

from tools.build_cache import BuildCache  # noqa: E402

SOURCE = ROOT / "engine"
BUILD = SOURCE / "build"
TEST_BUILD = SOURCE / "build-sanitized"
FUZZ_BUILD = SOURCE / "build-fuzz"
RACE_BUILD = SOURCE / "build-race"
STATIC_BUILD = SOURCE / "build-static"
STATIC_MAP = STATIC_BUILD / "testerd.map"  # which archives are in it
IDLY = ("chrt", "--idle", "0")  # while nobody else wants the CPUs
AHEAD = SOURCE / "build-ahead"
AHEAD_LOG = AHEAD / "log"  # what a build ahead has said
AHEAD_LOCK = AHEAD / "lock"  # held while it goes on; has the number of its process
TARGET = ROOT / "TesterLibrary" / "_engine" / "testerd"
INPUTS = (SOURCE, ROOT / "proto", ROOT / "tools" / "engine.py", ROOT / "tools" / "build_cache.py")

# Most of the time to compile goes into headers of DPDK, gRPC and protobuf: several files are compiled as one.
UNITY = ("-Dunity=on", "-Dunity_size=6")
RELEASE = (
    "--buildtype=release",
    "-Db_ndebug=true",
    "-Dtests=false",
    *UNITY,
    "-Db_pch=false",
)
STATIC = (*RELEASE, "-Dstatic=true", f"-Dcpp_link_args=-Wl,-Map={STATIC_MAP.name}")
SANITIZED = (  # no build type: meson would take its optimization
    "-Doptimization=1",  # with sanitizers a third of the time of 3 to compile
    "-Dcpp_args=-g1",  # the lines of a stack, and no more
    "-Db_sanitize=address,undefined",
    "-Db_lundef=false",
    *UNITY,
)
# Each file by itself, so that each includes what it needs.
RACES = (
    "-Doptimization=1",
    "-Db_sanitize=thread",
    "-Db_lundef=false",
)

# What the build needs -> the Debian and Ubuntu package that has it.
PROGRAMS = {
    "c++": "g++",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "protoc": "protobuf-compiler",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
}
MODULES = {
    "libdpdk >= 22.11": "libdpdk-dev",
    "grpc++": "libgrpc++-dev",
    "protobuf": "libprotobuf-dev",
    "libpcap": "libpcap-dev",
    "libbpf": "libbpf-dev",
    "libxdp": "libxdp-dev",
}


class EngineError(SystemExit):
    """The engine cannot be built; the message says what to do."""


def missing() -> list[str]:
    """The Debian packages that the build still needs."""
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if "pkg-config" in packages:
        return packages + list(MODULES.values())
    return packages + [package for module, package in MODULES.items() if not _has(module)]


def build() -> Path:
    """Builds what has changed and returns the installed program."""
    _refuse_if_lacking(missing())
    return _install(_built("testerd"))


def program(name: str) -> Path:
    """Builds what has changed of a program for tests or benchmarks, such as src/responder_dialogue."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "program.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes, and ninja in one
        return _built(name)


def is_within_reach(name: str) -> bool:
    """Whether a program can be had without compiling the engine for it."""
    configured = (BUILD / "build.ninja").is_file() and shutil.which("ninja") is not None
    return configured or _cache(*RELEASE, name).has()


def static() -> Path:
    """A program without libraries but those of C, and STATIC_MAP beside it."""
    _refuse_if_lacking(missing())
    return _built("testerd", STATIC_BUILD, STATIC, STATIC_MAP)


def _built(name: str, folder: Path = BUILD, options: tuple[str, ...] = RELEASE, *beside: Path) -> Path:
    """A program of the release build."""
    built, cache = folder / name, _cache(*options, name)
    if not cache.restore(folder, [built, *beside]):
        _configure(folder, *options)  # finds files that are new
        _run("ninja", "-C", str(folder), name)
        cache.store(folder, [built, *beside])
    return built


def test() -> None:
    """Builds everything with sanitizers and runs the tests; fuzz targets on corpora and mutations of them."""
    _end_ahead()
    _configure_tests()
    _run_tests(TEST_BUILD, SANITIZED)


def ahead() -> None:
    """Begins to build what `test` needs, in the background. What fails there fails in `test` again."""
    _refuse_if_lacking(missing())
    _choose_compiler()
    if _cache(*SANITIZED).has():
        return
    AHEAD.mkdir(exist_ok=True)
    lock = os.open(AHEAD_LOCK, os.O_RDWR | os.O_CREAT)
    if not _locked(lock):
        return  # it is under way
    command = [*IDLY, sys.executable, __file__, "idly", str(lock)]
    with AHEAD_LOG.open("w") as log:
        begun = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[lock],
            start_new_session=True,
        )
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(begun.pid).encode(), 0)


def idly(lock: int) -> None:
    """Builds what `test` needs, where `ahead` has begun it. It holds the lock."""
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))  # meson is not left half-way
    os.set_inheritable(lock, False)
    _configure_tests()
    if not ends:
        os.set_inheritable(lock, True)  # by ninja and compilers, until the last one is gone
        os.execvp("ninja", ["ninja", "-C", str(TEST_BUILD), "-k", "0"])


def _end_ahead() -> None:
    """Ends a build ahead and prints what it has said. What is left of it is done at full speed."""
    if not AHEAD_LOCK.exists():
        return
    lock, asked = os.open(AHEAD_LOCK, os.O_RDWR), ""
    while not _locked(lock):
        if (process := os.pread(lock, 20, 0).decode()) not in ("", asked):
            os.kill(int(process), signal.SIGTERM)  # ninja removes what is not whole
            asked = process
        time.sleep(0.1)
    print(f"+ built ahead{' as far as it came' if asked else ''}:\n{AHEAD_LOG.read_text()}", flush=True)
    AHEAD_LOCK.unlink()
    os.close(lock)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _cache(*options: str) -> BuildCache:
    programs = ("meson", "ninja", "protoc", "grpc_cpp_plugin", *os.environ.get("CXX", "c++").split())
    return BuildCache(INPUTS, programs, options)


def _choose_compiler() -> None:
    if _clang_has("address"):
        os.environ["CXX"] = "clang++"  # takes half of the time that GCC does


def _configure_tests() -> None:
    _refuse_if_lacking(missing())
    _choose_compiler()
    _configure(TEST_BUILD, *SANITIZED)


def fuzz() -> None:
    """Builds the fuzz targets with libFuzzer, under the same sanitizers, and runs each for some seconds."""
    _refuse_if_lacking(missing())
    if not _clang_has("fuzzer"):
        raise EngineError("libFuzzer is part of clang: apt-get install clang")
    os.environ["CXX"] = "clang++"
    _configure(FUZZ_BUILD, *SANITIZED, "-Dfuzz=true")
    names = [test["name"] for test in _tests(FUZZ_BUILD) if test["name"].endswith("_fuzz")]
    _run("meson", "compile", "-C", str(FUZZ_BUILD), *names)
    _run("meson", "test", "-C", str(FUZZ_BUILD), "--no-rebuild", "--print-errorlogs", *names)


def race() -> None:
    """Builds what runs in several threads with ThreadSanitizer and runs its tests."""
    _refuse_if_lacking(missing())
    # GCC's does not know fences; what they order are atomics, of which it reports no race.
    options = RACES if _clang_has("thread") else (*RACES, "-Dcpp_args=-Wno-tsan")
    if options == RACES:
        os.environ["CXX"] = "clang++"
    _configure(RACE_BUILD, *options)
    # A test forks, and what it forks has a thread.
    settings = f"halt_on_error=1:die_after_fork=0:suppressions={SOURCE / 'races.supp'}"
    os.environ.setdefault("TSAN_OPTIONS", settings)
    _run_tests(RACE_BUILD, options, "engine")


def _run_tests(folder: Path, options: tuple[str, ...], *names: str) -> None:
    """Builds tests and runs them: these, or all there are."""
    programs = [Path(test["cmd"][0]) for test in _tests(folder) if not names or test["name"] in names]
    if not programs:
        raise EngineError("The engine was built without its tests: they need libgtest-dev and libgmock-dev.")
    cache = _cache(*options)
    if not cache.restore(folder, programs):
        targets = [program.name for program in programs] if names else []
        _run("meson", "compile", "-C", str(folder), *targets)
        cache.store(folder, programs)
    _run("meson", "test", "-C", str(folder), "--no-rebuild", "--print-errorlogs", *names)


def _refuse_if_lacking(packages: list[str]) -> None:
    if packages:
        raise EngineError(
            f"The packet engine testerd cannot be built: {len(packages)} system package(s) missing.\n"
            f"    Debian, Ubuntu:    apt-get install {' '.join(packages)}\n"
            "    Without engine:    TESTER_ENGINE=skip pip install .    (for engines on other machines)"
        )


def _configure(folder: Path, *options: str) -> None:
    again = ["--reconfigure"] if (folder / "build.ninja").is_file() else []
    _run("meson", "setup", *again, str(folder), str(SOURCE), *options)


def _tests(folder: Path) -> list[dict[str, Any]]:
    """The tests of a build, as Meson tells of them."""
    tests: list[dict[str, Any]] = json.loads(
        subprocess.check_output(["meson", "introspect", "--tests", str(folder)])
    )
    return tests


def _clang_has(sanitizer: str) -> bool:
    """Whether clang is there with libFuzzer or a sanitizer, which are a package of their own."""
    entry = (
        "LLVMFuzzerTestOneInput(const unsigned char*, unsigned long)" if sanitizer == "fuzzer" else "main()"
    )
    probe = f'extern "C" int {entry} {{ return 0; }}'
    command = ["clang++", "-x", "c++", f"-fsanitize={sanitizer}", "-o", os.devnull, "-"]
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, input=probe, text=True, capture_output=True, check=False).returncode == 0


def _has(module: str) -> bool:
    return subprocess.run(["pkg-config", "--exists", module], check=False).returncode == 0


def _run(*command: str) -> None:
    print("+", *command, flush=True)
    status = subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    if status:
        raise EngineError(f"{' '.join(command)}: ended with status {status}; its message is above")


def _install(program: Path) -> Path:
    """Replaces the program in one step: a running engine keeps its own file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    new = TARGET.with_suffix(".new")
    shutil.copy2(program, new)
    new.replace(TARGET)
    return TARGET


if __name__ == "__main__":
    if sys.argv[1:] == ["test"]:
        test()
    elif sys.argv[1:] == ["ahead"]:
        ahead()
    elif sys.argv[1:2] == ["idly"]:
        idly(int(sys.argv[2]))
    elif sys.argv[1:] == ["fuzz"]:
        fuzz()
    elif sys.argv[1:] == ["race"]:
        race()
    elif sys.argv[1:] == ["static"]:
        print(static())
    else:
        print(build())
