# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`hping3`, which sends at the ticks of a timer of the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..harness.frame import PAYLOAD
from ..harness.machine import need_program
from . import child


@contextmanager
def sending(address: str, gap_us: int, *, enter: Sequence[str] = ()) -> Iterator[None]:
    """Datagrams of the usual length to that address, one each so many microseconds."""
    options = ["--quiet", "--udp", "--destport", "9", "--data", str(PAYLOAD), "--interval", f"u{gap_us}"]
    with child.running([need_program("hping3", "hping3"), *options, address], enter=enter):
        yield
