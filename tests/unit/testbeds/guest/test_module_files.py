# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.testbeds.guest.module_files import ModuleFiles, read_module

from .kernels import add_kernel, add_module


def test_modules_come_behind_those_that_they_need(tmp_path: Path) -> None:
    folder = add_kernel(tmp_path, "6.1", rdma_rxe="ib-core,udp_tunnel", ib_core="", udp_tunnel="", other="")
    add_module(folder, "deep/er/ib_uverbs.ko", "ib_core")
    modules = ModuleFiles(folder)
    assert list(modules.in_order(["rdma_rxe", "ib_uverbs"])) == [
        "ib_core",
        "udp_tunnel",
        "rdma_rxe",
        "ib_uverbs",
    ]
    assert modules.in_order(["ib_core"]) == {"ib_core": folder / "kernel" / "ib_core.ko"}
    assert modules.has("other")
    assert not modules.has("another")


def test_what_is_built_in_is_not_loaded(tmp_path: Path) -> None:
    folder = add_kernel(tmp_path, "6.1", virtio_net="virtio,net-failover", net_failover="")
    (folder / "modules.builtin").write_text("kernel/drivers/virtio/virtio.ko\n")
    assert list(ModuleFiles(folder).in_order(["virtio_net", "virtio"])) == ["net_failover", "virtio_net"]


def test_a_module_that_is_missing_is_named(tmp_path: Path) -> None:
    modules = ModuleFiles(add_kernel(tmp_path, "6.1", rdma_rxe="ib_core"))
    with pytest.raises(TestbedError, match="no module ib_core, which rdma_rxe needs"):
        modules.in_order(["rdma_rxe"])
    with pytest.raises(TestbedError, match=r"no module ib_uverbs$"):
        modules.in_order(["ib_uverbs"])


def test_modules_that_need_each_other_have_an_end(tmp_path: Path) -> None:
    modules = ModuleFiles(add_kernel(tmp_path, "6.1", one="two", two="one"))
    assert list(modules.in_order(["one"])) == ["two", "one"]


def test_compressed_modules_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = add_module(tmp_path, "a.ko", "b").read_bytes()
    for suffix, pack in ((".xz", lzma.compress), (".gz", gzip.compress)):
        path = tmp_path / "kernel" / f"a.ko{suffix}"
        path.write_bytes(pack(plain))
        assert read_module(path) == plain
    packed = tmp_path / "kernel" / "a.ko.zst"
    packed.write_bytes(b"")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TestbedError, match=r"a\.ko\.zst is compressed by zstd; install the package zstd"):
        read_module(packed)
