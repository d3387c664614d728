# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Archives for kernels, read back by a reader that knows only what the kernel's documentation says."""

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.testbeds.guest.image import archive


def entries(octets: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Name, mode and content of each entry of a newc archive (early-userspace/buffer-format.rst)."""
    at = 0
    while True:
        assert octets[at : at + 6] == b"070701"
        numbers = [int(octets[at + 6 + 8 * field : at + 14 + 8 * field], 16) for field in range(13)]
        name_bytes, size = numbers[11], numbers[6]
        name = octets[at + 110 : at + 110 + name_bytes - 1].decode()
        assert octets[at + 110 + name_bytes - 1] == 0
        begin = -(-(at + 110 + name_bytes) // 4) * 4
        if name == "TRAILER!!!":
            assert begin == len(octets)
            return
        yield name, numbers[1], octets[begin : begin + size]
        at = -(-(begin + size) // 4) * 4


def test_files_are_in_folders_that_come_before_them() -> None:
    found = list(entries(archive({"/usr/bin/ls": b"12345", "/init": b"#!", "/usr/lib/empty": b""})))
    assert found == [
        ("usr", 0o040755, b""),
        ("usr/bin", 0o040755, b""),
        ("usr/lib", 0o040755, b""),
        ("init", 0o100755, b"#!"),
        ("usr/bin/ls", 0o100755, b"12345"),
        ("usr/lib/empty", 0o100755, b""),
    ]


def test_an_archive_of_nothing_has_its_end() -> None:
    assert list(entries(archive({}))) == []
