# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Robot Framework library: composes keyword components, holds no keyword."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

from robot.api import logger
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError
from robotlibcore import DynamicCore

from . import __version__
from .keywords import components
from .keywords._optional import with_reasons
from .model.editor import FieldPath, RandomPrefix
from .model.endpoints import AddressRange, Endpoints
from .model.headers import HeaderStack
from .model.mix import parse_frame_sizes
from .model.quantity import Frequency, Octets
from .model.units import Bandwidth, Duration, FrameSize, FrameSizes, Rate, Ratio
from .reporting import metrics
from .reporting.listener import Listener
from .reporting.progress import Progress
from .reporting.recorder import Recorder
from .scope import ScopeListener
from .session import Session

_PARSERS: dict[type[Any], Callable[[object], Any]] = {
    Rate: Rate.parse,
    FrameSize: FrameSize.parse,
    FrameSizes: parse_frame_sizes,
    Duration: Duration.parse,
    Ratio: Ratio.parse,
    HeaderStack: HeaderStack.parse,
    FieldPath: FieldPath.parse,
    RandomPrefix: RandomPrefix.parse,
    AddressRange: AddressRange.parse,
    Endpoints: Endpoints.parse,
    Bandwidth: Bandwidth.parse,
    Frequency: Frequency.parse,
    Octets: Octets.parse,
}


def _converter(unit: type[Any], parse: Callable[[object], Any]) -> Any:
    """Robot's way from what a suite says to a value; the unit's own documentation goes into Libdoc."""

    def convert(value):  # type: ignore[no-untyped-def]  # Robot would convert to an annotated type first
        return parse(value)

    convert.__doc__ = unit.__doc__
    return convert


class TesterLibrary(DynamicCore):
    """Certifies network devices: programs a tester, sends real traffic through a device under test, judges.

    The shortest suite:

    | Library | TesterLibrary |
    | Suite Setup | `Open Tester` |
    | Suite Teardown | `Close Tester` |

    | `Create Stream` | north | tx=p1 | rx=p2 | frame_size=64 |
    | ${result} = | `Find Throughput` | north |
    | `Verify Throughput Above` | 10 % | ${result} |

    = Verbs =

    Create and Set describe, Start and Stop put on and take off the wire, Measure runs one trial, Find
    searches, Sweep runs a fixed series, Get returns a value and asserts when an operator is given, Verify
    judges and records a verdict.

    = Tests And Suites =

    What a test makes ends with it: streams, mixes, changes of a suite's stream, `On Result`, traffic that is
    still running (with a warning), monitoring, captures, clients and responders. What is made outside a test
    belongs to the suite, and is there for all its tests and the suites in it: what a suite setup makes ends
    with the suite. `Verify …` and `Get …` without a trial judge what the same test has measured last.

    = Verdicts =

    FAIL means measured and out of bounds. A tester that is broken, too slow or lost frames itself makes a
    test INCONCLUSIVE, which Robot shows as skipped with the reason: never failed, never passed. Where a run
    in which nothing was measured must not end with status 0, import the library with ``inconclusive=fail``,
    or give ``robot`` the option ``--listener TesterLibrary.InconclusiveFails``. FAIL outweighs INCONCLUSIVE.

    A test that passed without a verdict is NOT JUDGED: nothing was required of the device. A verdict that the
    suite catches or retries (``Run Keyword And Return Status``, ``TRY``, ``Wait Until Keyword Succeeds``)
    does not count. Each test gets its outcome as a tag, such as ``verdict-fail``.

    = Units =

    Rates: ``64 kpps``, ``10 Gbps`` (frames with FCS), ``10 Gbps L1`` (with preamble and gap), ``95 %`` of
    line rate. Times: ``2 s``, ``5 ms``, ``9 us``, ``250 ns``, ``1 min 30 s``, ``2 seconds``. Ratios: ``0``,
    ``0.001 %``, ``10 ppm``. How often: ``450/s``, ``20 k connections/s``. Frame sizes: bytes with FCS. Header
    stacks: ``Ether / Dot1Q(vlan=100) / IP / UDP``, see `Set Headers`.

    The unit is part of a value: ``5`` is no time and ``10`` no rate, only ``0`` needs none. A point is the
    decimal sign; a comma parts thousands, ``1,000``. Anything else is refused with what to write instead.
    """

    ROBOT_LIBRARY_SCOPE = "GLOBAL"
    ROBOT_LIBRARY_VERSION = __version__
    ROBOT_LIBRARY_DOC_FORMAT = "ROBOT"

    ROBOT_LIBRARY_CONVERTERS: ClassVar = {unit: _converter(unit, parse) for unit, parse in _PARSERS.items()}

    def __init__(
        self,
        testbed: str = "embedded/l2-bridge",
        seed: int = 1,
        inconclusive: Literal["skip", "fail"] = "skip",
    ) -> None:
        """| =Argument= | =Meaning= |
        | ``testbed`` | ``embedded/l2-bridge``, ``embedded/l3-router``, ``two-nics``, or a path |
        | ``seed`` | of everything random; it is in the report, and the same seed sends the same frames |
        | ``inconclusive`` | how Robot shows inconclusive tests: ``skip``, or ``fail`` for an exit status |
        """
        recorder, progress = _reporters()
        self.session = Session(testbed, seed, recorder, progress)
        scopes = ScopeListener(self.session.scopes, logger.warn)
        listener = Listener(recorder, progress, inconclusive_fails=inconclusive == "fail")
        self.ROBOT_LIBRARY_LISTENER = [scopes, listener, _Closer(self.session)]
        super().__init__(components(self.session))

    def get_keyword_types(self, name: str) -> Any:
        """Types of a keyword's arguments, as Robot converts and documents them."""
        hints = super().get_keyword_types(name)
        if not isinstance(hints, dict):
            return hints
        return with_reasons(hints, self.get_keyword_arguments(name), _PARSERS)


def _reporters() -> tuple[Recorder, Progress]:
    """Records go to `evidence/` beside Robot's own output; outside Robot to the working directory."""
    try:
        output = Path(BuiltIn().get_variable_value("${OUTPUT DIR}"))
    except RobotNotRunningError:
        output = Path.cwd()
    evidence = output / "evidence"
    return Recorder(evidence), Progress(evidence)


class _Closer:
    """Closes at the end of the run what the suites left open."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, session: Session) -> None:
        self.session = session

    def close(self) -> None:
        """Robot is done with the library."""
        self.session.close()
        metrics.write(self.session.recorder.directory)
