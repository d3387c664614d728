# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a guest on a disk that has them, and what is said of one that has not."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

import pytest

from TesterLibrary.errors import Inconclusive, NotInstalled, TestbedError
from TesterLibrary.testbeds.guest.image import image_of
from TesterLibrary.testbeds.guest.parts import Wanted, find_parts

from .kernels import add_kernel
from .test_archive import entries

BASE = {"virtio_pci": "", "virtio_net": "", "virtio_console": ""}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose only programs are those of the tests."""
    ldd = shutil.which("ldd")
    assert ldd is not None
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr("TesterLibrary.testbeds.guest.parts.ROOTS_PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ldd").symlink_to(ldd)
    return tmp_path


def install(machine: Path, *programs: str) -> None:
    for name in programs:
        (machine / "bin" / name).write_text("#!/bin/sh\n")
        (machine / "bin" / name).chmod(0o755)


def wanted(machine: Path) -> Wanted:
    files = {f"{machine}/lib/librxe*.so": "ibverbs-providers"}
    return Wanted(("rdma_rxe",), ("crc32_generic",), {"ib_write_bw": "perftest", "rdma": "iproute2"}, files)


def test_everything_that_is_missing_is_named_with_its_package(machine: Path) -> None:
    install(machine, "rdma")
    add_kernel(machine, "6.1-cloud", **BASE)  # without the module
    with pytest.raises(NotInstalled) as caught:
        find_parts(wanted(machine), machine)
    assert caught.value.reason == (
        f"it needs qemu-system-x86_64, busybox, ib_write_bw, {machine}/lib/librxe*.so, a kernel with the "
        f"module rdma_rxe in {machine}/boot; install the packages qemu-system-x86 busybox-static perftest "
        "ibverbs-providers linux-image-amd64"
    )


def test_what_is_not_installed_skips_a_suite_and_is_still_an_error_of_a_testbed() -> None:
    problem = NotInstalled("it needs QEMU")
    assert str(problem) == "INCONCLUSIVE: it needs QEMU"
    assert isinstance(problem, Inconclusive)
    assert isinstance(problem, TestbedError)
    assert problem.ROBOT_SKIP_EXECUTION


def test_another_kind_of_machine_has_no_guests(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(NotInstalled, match="its guests are for x86_64, and this machine is aarch64"):
        find_parts(wanted(machine), machine)


def test_the_newest_kernel_with_the_module_is_taken(machine: Path) -> None:
    install(machine, "qemu-system-x86_64", "busybox", "ib_write_bw", "rdma")
    (machine / "lib").mkdir()
    library = machine / "lib" / "librxe-rdmav34.so"
    library.write_bytes(b"provider")
    for release in ("6.9.0", "6.10.0"):
        add_kernel(machine, release, rdma_rxe="ib_core", ib_core="", crc32_generic="", **BASE)
    add_kernel(machine, "6.12.0", **BASE)
    parts = find_parts(wanted(machine), machine)
    assert (parts.release, parts.kernel.name) == ("6.10.0", "vmlinuz-6.10.0")
    assert [path.stem for path in parts.modules] == [*BASE, "crc32_generic", "ib_core", "rdma_rxe"]
    assert set(parts.programs) == {"busybox", "ib_write_bw", "rdma"}
    assert parts.files == (library,)
    check_image(parts_image := image_of(parts, "echo $ADDRESS").file_system, library)
    assert image_of(parts, "echo $ADDRESS").file_system == parts_image
    library.write_bytes(b"another provider")
    assert image_of(parts, "echo $ADDRESS").file_system != parts_image


def check_image(image: Path, library: Path) -> None:
    found = {name: content for name, _, content in entries(image.read_bytes())}
    assert {"usr/bin/rdma", "usr/bin/ib_write_bw", "bin/busybox", "modules/05-rdma_rxe.ko"} < found.keys()
    assert found[str(library)[1:]] == b"provider"
    assert b"\necho $ADDRESS\n" in found["init"]
    assert b"{" in found["init"]


def test_a_kernel_that_may_not_be_read_is_said_so(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(machine, "qemu-system-x86_64", "busybox", "ib_write_bw", "rdma")
    (machine / "lib").mkdir()
    (machine / "lib" / "librxe.so").touch()
    add_kernel(machine, "6.1", rdma_rxe="", **BASE)
    real = os.access
    monkeypatch.setattr("os.access", lambda path, mode: "vmlinuz" not in str(path) and real(path, mode))
    with pytest.raises(NotInstalled, match=r"vmlinuz-6\.1, which this user may not read: chmod a\+r it"):
        find_parts(wanted(machine), machine)
