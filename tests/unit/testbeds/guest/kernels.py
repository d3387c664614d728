# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels on a disk, of files that have just what is read of them."""

from __future__ import annotations

import struct
from pathlib import Path


def add_kernel(root: Path, release: str, **needs: str) -> Path:
    """A kernel with modules, each with the names of those that it needs; returns their folder."""
    folder = root / "lib" / "modules" / release
    for name, needed in needs.items():
        add_module(folder, f"{name}.ko", needed)
    (root / "boot").mkdir(exist_ok=True)
    (root / "boot" / f"vmlinuz-{release}").write_bytes(b"kernel")
    return folder


def add_module(folder: Path, file: str, needed: str) -> Path:
    """A module with the section .modinfo."""
    path = folder / "kernel" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF\0license=GPL\0depends=" + needed.encode() + b"\0name=x\0")
    return path


def image_with(payload: bytes) -> bytes:
    """A bzImage of two sectors of set-up and this payload."""
    image = bytearray(2 * 512)
    image[0x1F1] = 1
    struct.pack_into("<II", image, 0x248, 64, len(payload))
    return bytes(image) + bytes(64) + payload + b"tail"
