# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds dist/testerlibrary_VERSION_ARCHITECTURE.deb from the two wheels of a release: `make deb`.

/opt/tester is a virtual environment of the system's Python with library, engine, reports and service. It does
not hold Scapy: the package depends on the distribution's Scapy, which is GPL-2.0-only. The package installs
the units of systemd and does not enable them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from TesterLibrary.testbeds import system_packages  # noqa: E402
from tools import wheels  # noqa: E402

PREFIX = "opt/tester"
PYTHON = "/usr/bin/python3"  # that of the distribution, on which the package depends
SCAPY = "usr/lib/python3/dist-packages/scapy"
CREATE_USER = f"""#!/bin/sh
set -e
if [ "$1" = configure ]; then
    getent passwd tester > /dev/null || useradd --system --user-group --home-dir /var/lib/tester \
        --shell /usr/sbin/nologin tester
    {PYTHON} -m compileall -q /{PREFIX}/lib || true
fi
"""
REMOVE_BYTECODE = f"""#!/bin/sh
set -e
find /{PREFIX} -name __pycache__ -type d -prune -exec rm -rf {{}} +
"""
REMOVE_USER = """#!/bin/sh
set -e
if [ "$1" = purge ] && getent passwd tester > /dev/null; then userdel tester; fi
"""
SCRIPTS = {"postinst": CREATE_USER, "prerm": REMOVE_BYTECODE, "postrm": REMOVE_USER}


def main() -> None:
    """Builds the package and prints its size."""
    library, engine = newest_wheels()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made) / "root"
        prefix = root / PREFIX
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(prefix)], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(prefix / "bin/python"), "install", "--quiet"]
        sources = ["--no-compile", "--find-links", str(wheels.DIST), str(engine), f"{library}[report,serve]"]
        subprocess.run([*pip, *sources], check=True)
        arrange(root)
        control(root)
        package = wheels.DIST / f"testerlibrary_{wheels.version()}_{architecture()}.deb"
        subprocess.run(
            ["dpkg-deb", "-Zzstd", "--root-owner-group", "--build", str(root), str(package)], check=True
        )
    print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 10**6:.1f} MB")


def newest_wheels() -> tuple[Path, Path]:
    """The wheels of library and engine in dist/."""
    paths = sorted(wheels.DIST.glob(f"*-{wheels.version()}-*.whl"))
    if len(paths) != 2:
        raise SystemExit(f"{wheels.DIST} has {len(paths)} of 2 wheels; 'make wheels' builds them")
    return paths[0], paths[1]


def arrange(root: Path) -> None:
    """Makes the environment independent of where it was built, and adds links, units and licences."""
    prefix = root / PREFIX
    for script in (prefix / "bin").iterdir():
        if script.is_symlink():
            continue
        text = script.read_text()
        script.write_text(text.replace(str(prefix), f"/{PREFIX}"))
    (settings,) = prefix.glob("pyvenv.cfg")
    lines = settings.read_text().splitlines(keepends=True)
    settings.write_text("".join(line for line in lines if not line.startswith("command")))
    (packages,) = prefix.glob("lib/python3*/site-packages")
    for path in packages.glob("scapy*"):
        shutil.rmtree(path)
    (prefix / "bin/scapy").unlink(missing_ok=True)
    (packages / "scapy").symlink_to(f"/{SCAPY}")
    (prefix / "bin/testerd").symlink_to(
        os.path.relpath(packages / "testerlibrary_engine/testerd", prefix / "bin")
    )
    (root / "usr/bin").mkdir(parents=True)
    for name in ("tester", "testerd"):
        (root / "usr/bin" / name).symlink_to(f"/{PREFIX}/bin/{name}")
    units = root / "usr/lib/systemd/system"
    shutil.copytree(ROOT / "resources/systemd", units)
    documents = root / "usr/share/doc/testerlibrary"
    documents.mkdir(parents=True)
    (information,) = packages.glob(f"{wheels.NAME}-*.dist-info")
    engine_licences = (information / "licenses/THIRD_PARTY").read_text(encoding="utf-8")
    (documents / "THIRD_PARTY").write_text(engine_licences + "\n".join(python_licences(packages)))
    shutil.copy2(information / "sboms/testerd.cdx.json", documents)
    shutil.copy2(ROOT / "LICENSE", documents / "copyright")


def python_licences(packages: Path) -> Iterator[str]:
    """Name, version and licence files of each Python package of an environment."""
    line = "=" * 100
    for information in sorted(packages.glob("*.dist-info")):
        name, _, version = information.name.removesuffix(".dist-info").rpartition("-")
        texts = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(information.rglob("*"))
            if path.is_file() and path.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))
        ]
        facts = (information / "METADATA").read_text(encoding="utf-8").splitlines()
        said = [fact for fact in facts if fact.startswith("License")]
        yield "\n".join((line, f"{name} {version}", line, *(texts or said)))


def control(root: Path) -> None:
    """Writes name, version, dependencies and scripts of the package."""
    (packages,) = (root / PREFIX).glob("lib/python3*")
    minor = int(packages.name.removeprefix("python3."))
    size = sum(path.lstat().st_size for path in root.rglob("*")) // 1024
    folder = root / "DEBIAN"
    folder.mkdir()
    (folder / "control").write_text(
        "Package: testerlibrary\n"
        f"Version: {wheels.version()}\n"
        f"Architecture: {architecture()}\n"
        "Maintainer: TesterLibrary contributors\n"
        f"Installed-Size: {size}\n"
        f"Depends: python3 (>= 3.{minor}), python3 (<< 3.{minor + 1}), "
        "python3-scapy (>= 2.5), libc6 (>= 2.36), passwd\n"
        f"Recommends: {', '.join(system_packages.read(['devices']))}\n"
        "Section: net\nPriority: optional\n"
        "Description: Robot Framework keywords for a programmable network tester\n"
        " Sends real traffic through a device under test, and judges what arrives.\n"
        " With testerd, the packet engine.\n"
    )
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def architecture() -> str:
    """The name of this machine's architecture in Debian."""
    return subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


if __name__ == "__main__":
    main()
