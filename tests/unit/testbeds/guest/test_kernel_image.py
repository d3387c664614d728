# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable

import pytest

from TesterLibrary.testbeds.guest.image import unpacked

from .kernels import image_with

KERNEL = b"\x7fELF" + bytes(range(256)) * 20


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_a_kernel_is_unpacked_whatever_follows_it(pack: Callable[[bytes], bytes]) -> None:
    # The length of the uncompressed kernel is behind it.
    assert unpacked(image_with(pack(KERNEL) + len(KERNEL).to_bytes(4, "little"))) == KERNEL


@pytest.mark.parametrize(
    "image",
    [
        b"short",
        image_with(b"\x28\xb5\x2f\xfd of zstd"),
        image_with(lzma.compress(b"no kernel")),
        b"\x7fELF" + bytes(2000),
    ],
)
def test_another_image_is_left_to_the_guest(image: bytes) -> None:
    assert unpacked(image) is None
