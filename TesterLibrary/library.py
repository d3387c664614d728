# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Robot Framework library: composes keyword components, holds no keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from robot.api import logger
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError
from robot.running.context import EXECUTION_CONTEXTS
from robot.utils import printable_name
from robotlibcore import DynamicCore

from .errors import TargetError, TestbedError, TesterLibraryError, VerdictFailed
from .keywords import CONVERTERS, components
from .keywords._calls import check_integers, check_names, converting
from .keywords._conversion import with_reasons
from .measurement.tester_usage import TesterUsage
from .model.units.notation import NOTATIONS
from .reporting.live.notes import LiveNotes
from .reporting.pages import metrics
from .reporting.record.durable import RecordError
from .reporting.record.listener import Listener
from .reporting.record.machine import versions
from .reporting.record.progress import Console
from .reporting.record.recorder import TESTBED_FAULT, TESTER_FAULT, Recorder
from .running.procedures.diagnosis import diagnose_failure
from .running.scope import ScopeListener
from .running.suite import Suite

# Of a checkout that was not installed nobody knows it.
VERSION = versions().get("robotframework-testerlibrary", "0+unknown")


class TesterLibrary(DynamicCore):
    """Certifies network devices: programs a tester, sends real traffic through a device under test, judges.

    The shortest suite:

    | Library | TesterLibrary | testbed=embedded/l2-bridge |
    | Suite Setup | `Open Tester` |
    | Suite Teardown | `Close Tester` |

    | `Create Stream` | north | tx=p1 | rx=p2 | frame_size=64 |
    | ${result} = | `Find Throughput` | north |
    | `Verify Throughput Above` | 10 % | ${result} |

    A suite for ``tester certify`` and campaigns imports it with ``testbed=${TESTBED}``, which these set to
    each testbed that they run on, and gives ``${TESTBED}`` a value for ``robot`` in its section of variables.

    = Verbs =

    | =Verb= | =The keyword= |
    | Open, Close, Use | brings up, takes down or chooses a tester and its testbed |
    | Create, Set, Reset | describes traffic; nothing is sent |
    | Start, Stop | puts on the wire, and takes off, what runs in between: traffic, captures, clients |
    | Join, Leave | makes a port of the tester a member of multicast groups, as a host is |
    | Drop, Mark, Corrupt, Duplicate, Truncate, Delay, Reorder | describes what happens to packets on a path |
    | Rewrite, Blackhole, Take Link Down, Reset Connection, Impair, Stamp | describes what happens on a path |
    | Count, Sum By | counts packets from now on, by what is in them |
    | When Packet Arrives | has frames sent for packets that pass a filter |
    | Mark Event | records that something happens around the traffic, such as a reload of the device |
    | Analyse | finds in a trace what a device has done, and returns it; with a host it gives a verdict |
    | Run | runs a program on a host of the testbed and waits for its end |
    | Send | sends a finite amount, waits for its end and returns the trial |
    | Measure | runs one trial, or a fixed number of equal ones, at a given load |
    | Find | searches over trials and returns a result |
    | Diagnose | searches by experiments why a measurement failed, and returns a result; it gives no verdict |
    | Sweep | runs a fixed series of trials and returns a result |
    | Calibrate | measures the tester itself, to be taken off what is measured of devices |
    | Wait For | waits for a state, with a timeout; it gives no verdict |
    | Get | returns a value; with an operator it asserts, and records a verdict |
    | Verify | judges a trial or a result against a bound and records a verdict; it changes nothing else |

    = Tests And Suites =

    What a test makes ends with it: streams, mixes, changes of a suite's stream, `Set Callback`, traffic that
    is still running (with a warning), monitoring, captures, clients and responders. What is made outside a
    test belongs to the suite, and is there for all its tests and the suites in it: what a suite setup makes
    ends with the suite. `Verify …` and `Get …` without a trial judge what the same test has measured last;
    if that measurement failed, they are refused.

    = Verdicts =

    FAIL means measured and out of bounds. A tester that is broken, too slow or lost frames itself makes a
    test INCONCLUSIVE, which Robot shows as skipped with the reason: never failed, never passed. Where a run
    in which nothing was measured must not end with status 0, import the library with ``inconclusive=fail``,
    or give ``robot`` the option ``--listener TesterLibrary.InconclusiveFails``. FAIL outweighs INCONCLUSIVE.

    A test that passed without a verdict is NOT JUDGED: nothing was required of the device. A verdict that the
    suite catches or retries (``Run Keyword And Return Status``, ``TRY``, ``Wait Until Keyword Succeeds``)
    does not count. Each test gets its outcome as a tag, such as ``verdict-fail``.

    = Durations =

    How long a keyword measures, and how often, follows from the library's ``profile`` where the suite does
    not say: ``quick`` takes a first look in seconds, ``full`` has the durations of RFC 2544, and a file such
    as ``my/profile.yaml`` has one's own (to be copied from ``resources/criteria/profiles``). A result whose
    trials, or the waits around them, were shorter or fewer than the RFC asks for says so: on the console, in
    its ``shortened``, and in the certificate.

    = Tolerances =

    ``within=5 %`` of a Verify keyword moves its bound by that part of itself: at least 200/s is then at least
    190/s, at most 10 ms at most 10.5 ms. The verdict has both: ``required >= 200/s within 5 % (190/s)``.

    = Units =

    Rates: ``64 kpps``, ``10 Gbps`` (frames with FCS), ``10 Gbps L1`` (with preamble and gap), ``95 %`` of
    line rate. Times: ``2 s``, ``5 ms``, ``9 us``, ``250 ns``, ``1 min 30 s``, ``2 seconds``. Ratios: ``0``,
    ``0.001 %``, ``10 ppm``. How often: ``450/s``, ``20 k connections/s``. Frame sizes: bytes with FCS. Header
    stacks: ``Ether / VLAN(vlan=100) / IP / UDP``, see `Set Headers`.

    The unit is part of a value: ``5`` is no time and ``10`` no rate, only ``0`` needs none. A point is the
    decimal sign; a comma parts thousands, ``1,000``. Anything else is refused with what to write instead.
    """

    ROBOT_LIBRARY_SCOPE = "GLOBAL"
    ROBOT_LIBRARY_VERSION = VERSION
    ROBOT_LIBRARY_DOC_FORMAT = "ROBOT"

    ROBOT_LIBRARY_CONVERTERS: ClassVar = CONVERTERS

    __test__ = False  # pytest would take it for a test class
    _composed = False

    def __init__(
        self,
        testbed: str | None = None,
        profile: str = "quick",
        seed: int = 1,
        inconclusive: Literal["skip", "fail"] = "skip",
        diagnose: Literal["off", "on-failure"] = "off",
    ) -> None:
        """| =Argument= | =Meaning= |
        | ``testbed`` | the name of a shipped testbed, such as ``embedded/l2-bridge``, or the path of a file |
        | ``profile`` | ``quick``, ``full`` (the durations of RFC 2544) or a file: see `Durations` |
        | ``seed`` | a number that everything random follows from; it is in the report |
        | ``inconclusive`` | how Robot shows inconclusive tests: ``skip``, or ``fail`` for an exit status |
        | ``diagnose`` | ``on-failure``: `Diagnose Loss` follows a FAIL with lost frames, for up to 60 s |

        Without a testbed the library can be imported, and `Open Tester` refuses until `Use Testbed` names
        one: which device is certified is never a default. The import touches no hardware.
        """
        recorder, progress = _reporters()
        self.suite = Suite(testbed, seed, recorder, progress, profile, warn=logger.warn)
        self._diagnoses_failures = diagnose == "on-failure"
        scopes = ScopeListener(self.suite.scopes, logger.warn)
        listener = Listener(
            recorder,
            progress,
            inconclusive_fails=inconclusive == "fail",
            usage=partial(usage_of, self.suite),
        )
        # In a dry run no keyword runs: there is nothing to record.
        self.ROBOT_LIBRARY_LISTENER = [] if _is_dry_run() else [scopes, listener, _Closer(self.suite)]
        super().__init__(components(self.suite))
        self._composed = True  # from here on attributes are for Python programs, not for the composition

    def get_keyword_types(self, name: str) -> Any:
        """Types of a keyword's arguments, as Robot converts and documents them."""
        hints = super().get_keyword_types(name)
        if not isinstance(hints, dict):
            return hints
        return with_reasons(hints, self.get_keyword_arguments(name), NOTATIONS)

    def run_keyword(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> Any:
        """Runs a keyword for Robot, which has converted its arguments."""
        parameters = self._parameters(name)
        check_names(printable_name(name, code_style=True), parameters, args)  # type: ignore[no-untyped-call]
        check_integers(self.get_keyword_types(name), parameters, args, kwargs or {})
        try:
            return super().run_keyword(name, args, kwargs)
        except VerdictFailed:
            if self._diagnoses_failures:
                diagnose_failure(self.suite)
            raise
        except TestbedError as fault:
            self._note(TESTBED_FAULT, str(fault))
            raise
        except TargetError as fault:
            self._note(TESTER_FAULT, fault.reason)
            raise

    def _note(self, event: str, reason: str) -> None:
        """Reports tell it from a mistake of the suite, and a campaign runs the test elsewhere."""
        with suppress(RecordError):
            self.suite.recorder.event(event, reason=reason)

    def __getattr__(self, name: str) -> Any:
        """A keyword as a method, for Python programs: it converts its arguments as Robot would."""
        method = super().__getattr__(name)
        if not self._composed:
            return method
        keyword = next(keyword for keyword, known in self.keywords.items() if known == method)
        return converting(name, method, self.get_keyword_types(keyword), CONVERTERS)

    def __enter__(self) -> TesterLibrary:
        """Opens the tester: `with TesterLibrary(testbed="embedded/l2-bridge") as tester:`."""
        self.suite.open()
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the tester, whatever happened."""
        self.suite.close()

    def _parameters(self, name: str) -> list[str]:
        given = self.get_keyword_arguments(name)
        return [parameter[0] if isinstance(parameter, tuple) else parameter for parameter in given]


def _reporters() -> tuple[Recorder, Console]:
    """Records go to `evidence/` beside Robot's own output; outside Robot to the working directory."""
    try:
        output = Path(BuiltIn().get_variable_value("${OUTPUT DIR}"))
    except RobotNotRunningError:
        output = Path.cwd()
    evidence = output / "evidence"
    recorder = Recorder(evidence, warn=logger.warn)
    return recorder, Console(evidence, notes=LiveNotes(recorder))


def _is_dry_run() -> bool:
    """Whether Robot only resolves keywords and arguments."""
    context = EXECUTION_CONTEXTS.current
    return context is not None and bool(context.dry_run)


class _Closer:
    """Closes at the end of the run what the suites left open."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, suite: Suite) -> None:
        self.suite = suite

    def close(self) -> None:
        """Robot is done with the library."""
        self.suite.close()
        if self.suite.progress.notes:
            self.suite.progress.notes.close()
        recorder = self.suite.recorder
        metrics.write(recorder.directory)
        if recorder.is_ready:
            from .reporting.pages.rebuild import (
                after_robot,  # templates, and plots: not while a suite is imported
            )

            after_robot(recorder.directory.parent)


def usage_of(suite: Suite) -> TesterUsage | None:
    """The usage of the open tester; None if no tester is open or answers, or if it does not tell."""
    with suppress(TesterLibraryError):
        part = suite.tester.target.usage
        return part.read() if part else None
    return None
