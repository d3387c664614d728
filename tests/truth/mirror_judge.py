# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Blind delay through a mirror: a device that only sends frames back has forwarded none of them."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from TesterLibrary.methodology.verdicts.blind_delay import delay_below
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.tofino.fake import Bridge
from tests.contract.rig import SwitchRig

from .case import SWITCH, Case, judge_on
from .switch_judges import tester_on

_FRAMES, _DELAY_NS = 20, 20_000
_MACS, _IPV4 = slice(0, 12), slice(26, 34)
_PATIENCE = Duration(100 * 10**9)


class Mirror(Bridge):
    """Forwards test frames, or sends them back: as they are, or with their addresses and ports swapped."""

    def __init__(self, *, reflects: bool, swaps: bool) -> None:
        super().__init__()
        self._reflects, self._swaps = reflects, swaps

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Bridge`."""
        if frame[12:14] != b"\x08\x00":
            yield from super().forward(port, frame, now_ns, others)
            return
        (other,) = (one for one in others if one != port)
        image = _swapped(frame) if self._swaps and self._reflects else frame
        yield now_ns + _DELAY_NS, port if self._reflects else other, image


def _swapped(frame: bytes) -> bytes:
    """Its checksums stay right: sums do not depend on the order."""
    return (
        frame[6:12]
        + frame[:6]
        + frame[12:26]
        + frame[30:34]
        + frame[26:30]
        + frame[36:38]
        + frame[34:36]
        + frame[38:]
    )


@judge_on(SWITCH)
def mirrored_delay(draw: random.Random) -> Case:
    reflects, swaps, alike = draw.random() < 0.6, draw.random() < 0.7, draw.random() < 0.6
    ports = (1000, 2000) if alike else (3000, 4000)
    rig = SwitchRig(Mirror(reflects=reflects, swaps=swaps))
    streams = [
        _blind("north", "p1", "p2", "198.18.0.2", "198.18.0.3", (2000, 1000)),
        _blind("south", "p2", "p1", "198.18.0.3", "198.18.0.2", ports),
    ]
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        tester = tester_on(rig, Path(folder))
        with StreamRun(tester, "truth", streams).loaded() as run:
            run.start(packets=_FRAMES)
            tester.target.wait([run.name], timeout=_PATIENCE)
            trial = run.finish()
    far = draw.random() < 0.7
    bound = Duration(10**9 if far else _DELAY_NS // 4)
    verdict = delay_below([trial], bound)
    excuse = "frames were sent back" if reflects else "counters of the switch"
    about = f"bound {bound}; {reflects=} {swaps=} {alike=}; {trial}"
    return Case("delay through a mirror", None if reflects else far, verdict, excuse, about, SWITCH)


def _blind(name: str, tx: str, rx: str, source: str, destination: str, ports: tuple[int, int]) -> Stream:
    headers = f"Ether / IP(src={source}, dst={destination}) / UDP(sport={ports[0]}, dport={ports[1]})"
    return Stream(
        name,
        tx,
        rx,
        FrameSize(128),
        Rate.parse("1 kpps"),
        headers=HeaderStack.parse(headers),
        signature=False,
    )
