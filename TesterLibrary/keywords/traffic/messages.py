# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for streams of messages, and for changing them from what they have brought about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn

from ...errors import TesterLibraryError
from ...measurement.trial import Trial
from ...model.departures import Messages, PacketTrain
from ...model.headers import HeaderStack
from ...model.stream import Stream
from ...model.units.units import Duration, FrameSize
from ...running.suite import Suite, naming
from .._component import component

ONE_MILLISECOND = Duration(10**6)
BACK_TO_BACK = Duration(0)


@component
class MessageStreams:
    """Messages of packets (formullar §3.2)."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def create_message_stream(
        self,
        name: str,
        messages: int = 1,
        packets: int = 1,
        interval: Duration = ONE_MILLISECOND,
        packet_interval: Duration = BACK_TO_BACK,
        frame_size: FrameSize = FrameSize(64),
        tx: str = "p1",
        rx: str = "p2",
        repeat: bool = True,
        headers: HeaderStack | None = None,
    ) -> str:
        """Describes a stream of messages, each of some packets. Returns its name. Nothing is sent.

        | ``name`` | the name of the stream; an existing stream of this name is replaced |
        | ``messages`` | the number of messages; `Set Message` changes one of them |
        | ``packets`` | the number of packets of each message |
        | ``interval`` | the time from the last packet of a message to the first one of the next |
        | ``packet_interval`` | the time from packet to packet within a message |
        | ``frame_size`` | bytes, FCS included |
        | ``tx`` | the port that the stream leaves |
        | ``rx`` | the port on which it is expected |
        | ``repeat`` | True: the first message follows the last one; False: the stream ends |
        | ``headers`` | the headers, as in `Set Headers` |

        An interval of 0 is back to back. The rate of the stream follows from these values; `Set Rate`, or a
        trial at another load, makes all intervals shorter or longer.

        | `Create Message Stream` | control | messages=3 | packets=5 | interval=10 ms |
        | `Set Message` | control | 2 | packets=40 | frame_size=1518 |
        """
        shaping = naming(
            name,
            lambda: Messages((PacketTrain(packets, interval, packet_interval),) * max(0, messages), repeat),
        )
        self._suite.put(
            Stream(
                name,
                tx=tx,
                rx=rx,
                frame_size=frame_size,
                rate=shaping.average,
                headers=headers,
                shaping=shaping,
            )
        )
        return name

    @keyword(tags=["stream"])
    def set_message(
        self,
        name: str,
        number: int | None = None,
        packets: int | None = None,
        interval: Duration | None = None,
        packet_interval: Duration | None = None,
        frame_size: FrameSize | None = None,
    ) -> None:
        """Changes messages of a stream, also while it is sending: then the first message is next.

        | ``name`` | the name of the stream |
        | ``number`` | the number of the message, from 1; all messages by default |
        | ``packets`` | the number of packets of the message |
        | ``interval`` | the time from the last packet of the message before to its first one |
        | ``packet_interval`` | the time from packet to packet within the message |
        | ``frame_size`` | bytes of each of its packets, FCS included |

        Arguments that are left out do not change.

        | `Set Message` | control | 2 | packets=40 | interval=1 ms |
        """
        shaping = self._suite.chosen([name])[0].shaping
        if not isinstance(shaping, Messages):
            raise TesterLibraryError(f"stream {name!r} has no messages; Create Message Stream makes one")
        values = {"packets": packets, "pause": interval, "gap": packet_interval, "frame_size": frame_size}
        changes = {name: value for name, value in values.items() if value is not None}
        self._suite.shape(name, lambda: shaping.changed(number, **changes))

    @keyword(tags=["stream"])
    def set_callback(self, name: str, keyword: str | Callable[[Trial], None], *arguments: Any) -> None:
        """Runs a keyword while a stream is measured or sent, every half second, with the results so far.

        | ``name`` | the name of the stream |
        | ``keyword`` | the name of a keyword, or a Python callable; its first argument is the trial so far |
        | ``arguments`` | further arguments of the keyword |

        The keyword may change the stream: `Set Rate`, `Set Message`, `Set Arrivals` …; frames that count as
        lost so far may still be on their way. It runs until the end of the test, or of the suite if a suite
        setup set it. A keyword that fails ends the trial.

        | `Set Callback` | control | Slow Down When Frames Are Lost |
        | `Measure Loss` | control | duration=10 s |
        """

        def watch(trial: Trial) -> None:
            if callable(keyword):
                keyword(trial, *arguments)
            else:
                BuiltIn().run_keyword(keyword, trial, *arguments)

        self._suite.chosen([name])
        self._suite.tester.watch(name, watch)
