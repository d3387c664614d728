# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of Linux kernels (bzImage), and the kernel that is packed in them."""

from __future__ import annotations

import lzma
import struct
import zlib

_SECTOR = 512
_SETUP_SECTORS, _PAYLOAD = 0x1F1, 0x248  # Documentation/arch/x86/boot.rst
_XZ, _GZIP = b"\xfd7zXZ\0", b"\x1f\x8b\x08"
_WITH_GZIP_HEADER = 31
_ELF = b"\x7fELF"


def unpacked(image: bytes) -> bytes | None:
    """The kernel as an ELF file, which QEMU starts as it is; None where it is packed in another way.

    A guest without KVM would unpack its kernel itself. Measured with Debian's 6.1: QEMU then took 7.1 s of
    CPU until its guest was ready, and 3.5 s with the unpacked one.
    """
    if len(image) < _PAYLOAD + 8:
        return None
    begin, length = struct.unpack_from("<II", image, _PAYLOAD)
    begin += (image[_SETUP_SECTORS] + 1) * _SECTOR
    payload = image[begin : begin + length]
    if payload.startswith(_XZ):
        kernel = lzma.LZMADecompressor().decompress(payload)
    elif payload.startswith(_GZIP):
        kernel = zlib.decompressobj(_WITH_GZIP_HEADER).decompress(payload)
    else:
        return None
    return kernel if kernel.startswith(_ELF) else None
