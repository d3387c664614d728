# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The things that a suite has open: a testbed, a tester on it, streams, and its last measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from ..errors import PlanError, TestbedError, TesterLibraryError, UnitError
from ..files.profile import Profile, load_profile
from ..measurement.counter import Counter, not_counted
from ..measurement.trial import Trial
from ..methodology.prerequisite import check_prerequisite
from ..methodology.result import Result
from ..methodology.standard import Standard, standard_of
from ..methodology.throughput import ThroughputResult, ThroughputSearch, find_throughput
from ..model.departures import Shaping, average_of
from ..model.plan.plan import Plan
from ..model.port_pattern import PortPattern, over_ports
from ..model.stream import Stream
from ..model.stream_mix import mixed
from ..model.units.units import Duration, Rate, Ratio
from ..reporting.record.progress import Console
from ..reporting.record.recorder import Recorder
from ..testbeds.load import shipped_testbeds
from ..verdict import Verdict
from .capture import Captures
from .connections import Connections
from .hosts import Hosts, shared_folder
from .measurer import Pauses, TrialMeasurer
from .memberships import Memberships
from .opening import LeaseWish, OpenTestbed, open_tester
from .paths import Paths
from .queries import Queries
from .scope import Scopes
from .tester import Tester
from .traffic import Traffic

R = TypeVar("R", bound=Result)
T = TypeVar("T")


@dataclass
class Suite:
    """The state that keywords share. One for each imported library."""

    testbed: str | None
    seed: int
    recorder: Recorder
    progress: Console
    profile_name: str = "quick"
    scopes: Scopes = field(default_factory=Scopes)  # the suites and the test that run, with their streams
    warn: Callable[[str], None] = lambda _: None  # tells the user of a suite what the tester was found with
    lease: LeaseWish = field(default_factory=LeaseWish)  # of the tester that is open, or is opened next
    _open: OpenTestbed | None = None

    @cached_property
    def profile(self) -> Profile:
        """Durations and repetitions where a suite does not say. TesterLibraryError: no such profile."""
        return load_profile(self.profile_name)

    @property
    def open_testbed(self) -> OpenTestbed:
        """The open testbed with its tester. Raises TesterLibraryError if none is open."""
        if self._open is None:
            raise TesterLibraryError(
                "no tester is open; call Open Tester first, for example in the suite setup"
            )
        return self._open

    @property
    def tester(self) -> Tester:
        """The open tester, on which trials are run. Raises TesterLibraryError if none is open."""
        return self.open_testbed.tester

    @property
    def traffic(self) -> Traffic:
        """The traffic that runs until it is stopped. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.traffic

    @property
    def connections(self) -> Connections:
        """The responders and clients that run. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.connections

    @property
    def captures(self) -> Captures:
        """The captures that run. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.captures

    @property
    def paths(self) -> Paths:
        """The paths through the tester. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.paths

    @property
    def hosts(self) -> Hosts:
        """The hosts at the ends of the testbed. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.hosts

    @property
    def memberships(self) -> Memberships:
        """The multicast groups that ports have joined. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.memberships

    @property
    def queries(self) -> Queries:
        """The queries that count packets. Raises TesterLibraryError if no tester is open."""
        return self.open_testbed.queries

    @property
    def streams(self) -> MutableMapping[str, Stream]:
        """The streams of the test and of the suites around it, by name."""
        return self.scopes.streams

    @property
    def mixes(self) -> MutableMapping[str, tuple[str, ...]]:
        """The names of the streams of each mix."""
        return self.scopes.mixes

    def open(self) -> Tester:
        """Opens the tester, unless it is open. Raises TestbedError if no testbed was named."""
        if self.testbed is None:
            raise TestbedError(
                "no testbed is named; import the library with testbed=, or call Use Testbed. Shipped are "
                f"{', '.join(shipped_testbeds())}; or give the path of a file of yours"
            )
        if self._open is None:
            self._open = open_tester(
                self.testbed,
                seed=self.seed,
                recorder=self.recorder,
                progress=self.progress,
                scopes=self.scopes,
                profile=load_profile(self.profile_name).name,
                lease=self.lease,
                shared=shared_folder(),
            )
            for sentence in self._open.found:
                self.warn(sentence)
        return self._open.tester

    def ask_for_lease(self, lease: LeaseWish) -> None:
        """Asks for other terms of the lease when the tester is opened next.

        Raises TesterLibraryError if it is open, on other terms.
        """
        if self._open is not None and lease not in (LeaseWish(), self.lease):
            raise TesterLibraryError(
                "the tester is open already; call Close Tester before Open Tester with lease, owner or force"
            )
        if self._open is None:
            self.lease = lease

    def close(self) -> None:
        """Takes everything off the wire and down. Closing what is closed is no error."""
        opened, self._open = self._open, None
        self.scopes.forget_streams()
        if opened:
            opened.close()

    def stop_everything(self) -> None:
        """Takes everything off the wire; nothing is to be done where no tester is open."""
        if self._open:
            self._open.stop_everything()

    def use(self, testbed: str) -> None:
        """Chooses another testbed; a tester that is open moves there."""
        was_open = self._open is not None
        self.close()
        self.testbed = testbed
        if was_open:
            self.open()

    def put(self, *streams: Stream) -> None:
        """Adds or replaces streams, each planned by itself. Refused means nothing has changed."""
        self._refuse_taken_names(streams)
        for stream in streams:
            self.tester.check([stream])
        self.streams.update((stream.name, stream) for stream in streams)

    def put_together(self, streams: Sequence[Stream]) -> Plan:
        """Adds or replaces streams that are sent together. Refused means nothing has changed."""
        self._refuse_taken_names(streams)
        plan = self.tester.check(streams)
        self.streams.update((stream.name, stream) for stream in streams)
        return plan

    def _refuse_taken_names(self, streams: Sequence[Stream]) -> None:
        for stream in streams:
            if stream.name in self.mixes:
                raise TesterLibraryError(f"{stream.name!r} is a mix; give the stream another name")
            self.traffic.refuse_if_sending(stream.name)

    def put_mix(self, name: str, shares: Mapping[str, Fraction], rate: Rate) -> None:
        """Gives streams their shares of a rate, and all of them a name."""
        if name in self.streams:
            raise TesterLibraryError(f"{name!r} is a stream; give the mix another name")
        streams = mixed(name, [self.stream(share) for share in shares], shares, rate, self.tester.ports)
        self.put_together(streams)
        self.mixes[name] = tuple(shares)

    def put_over_ports(self, stream: Stream, pattern: PortPattern, ports: Sequence[str]) -> None:
        """Adds a stream for each route of a pattern, and gives all of them the stream's name."""
        if stream.name in self.streams:
            raise TesterLibraryError(f"{stream.name!r} is a stream; give the pattern another name")
        streams = naming(stream.name, lambda: over_ports(stream, pattern, ports))
        self.put_together(streams)
        self.mixes[stream.name] = tuple(stream.name for stream in streams)

    def change(self, name: str, **changes: object) -> None:
        """Changes a stream; its rate and how it is shaped also while it is sending."""
        stream = replace(self.stream(name), **changes)  # type: ignore[arg-type]
        if set(changes) <= {"rate", "shaping"}:
            self.tester.check([stream])
            self.traffic.update(stream)
            self._restore_at_end(name)
            self.streams[name] = stream
        else:
            self.put(stream)

    def _restore_at_end(self, name: str) -> None:
        """A suite's stream that a test changes while it is sending goes on as it was after the test."""
        if name in self.scopes.current.streams:
            return
        traffic, before = self.traffic, self.streams[name]

        def restore() -> str:
            traffic.update(before)
            return ""

        self.scopes.at_end(restore)

    def shape(self, name: str, describe: Callable[[], Shaping | None]) -> None:
        """Changes the spacing of a stream's frames; the rate becomes the law's average if it has one."""
        shaping = naming(name, describe)
        average = average_of(shaping)
        self.change(name, shaping=shaping, **({"rate": average} if average else {}))

    def stream(self, name: str) -> Stream:
        """The stream of that name; the name of a mix is refused."""
        if name in self.mixes:
            raise TesterLibraryError(f"{name!r} is a mix of {', '.join(self.mixes[name])}; name one of them")
        return self.chosen([name])[0]

    def chosen(self, names: Sequence[str]) -> list[Stream]:
        """The streams of these names, a mix being several; all, if no name is given."""
        names = [mix for name in names for mix in self.mixes.get(name, (name,))]
        if not self.streams:
            raise TesterLibraryError("there is no stream; call Create Stream first")
        unknown = [name for name in names if name not in self.streams]
        if unknown:
            raise TesterLibraryError(
                f"there is no stream {unknown[0]!r}; there are {', '.join(self.streams)}"
            )
        return [self.streams[name] for name in names or self.streams]

    def measurer(
        self,
        title: str,
        names: Sequence[str],
        rate: Rate | Mapping[str, Rate] | None = None,
        *,
        by_signature: bool = False,
        needs: Sequence[Counter] = (),
        rest: Duration = Duration(0),
        goes_on: bool = False,
        note: Callable[[Trial], None] = lambda _: None,
    ) -> TrialMeasurer:
        """Runs trials of these streams, or of all, each at its own rate, at the one given or at that by name.

        The title heads their progress; the last trial is what `Verify …` and `Get …` judge. After one that
        lost frames nothing is sent for `rest`. With `goes_on`, they belong to the progress that is shown.
        `note` is called with each attempt at a trial.

        Raises:
            PlanError: the tester does not count what the title needs, or the signature of each frame is
                needed and a stream is sent without. Nothing was sent.
        """
        chosen = self.refuse_without(title, names, by_signature=by_signature, needs=needs)
        rates = rate if isinstance(rate, Mapping) else {s.name: rate or s.rate for s in chosen}
        streams = [stream.at(rates[stream.name]) for stream in chosen]
        if not goes_on:
            self.progress.begin(f"{title} of {' + '.join(stream.name for stream in streams)}")
        modifiers = self.scopes.modifiers

        def remember(trial: Trial) -> None:
            note(trial)
            self.remember(trial)

        return TrialMeasurer(
            self.tester, streams, note=remember, pauses=self.pauses(rest), modifiers=modifiers
        )

    def pauses(self, rest_after_loss: Duration = Duration(0)) -> Pauses:
        """The waits of a trial (RFC 2544 §23), as the profile says."""
        profile = self.profile
        return Pauses(profile.trial_learning, profile.trial_rest, rest_after_loss, profile.trial_residual)

    def standard(self, names: Sequence[str]) -> Standard:
        """The standard that says how trials of these streams, or of all, are run."""
        return standard_of(self.chosen(names))

    def refuse_without(
        self, title: str, names: Sequence[str], *, by_signature: bool, needs: Sequence[Counter]
    ) -> list[Stream]:
        """The streams of these names. PlanError as `measurer` raises it; nothing was sent."""
        if missing := set(needs) - self.tester.capabilities.counts:
            raise PlanError(f"{title} cannot be measured: {not_counted(missing)}")
        streams = self.chosen(names)
        for stream in streams:
            if by_signature and not stream.signature:
                raise PlanError(
                    f"stream {stream.name!r} is sent without signature, by which {title} is measured; "
                    "its blind delay, and bounds of its loss, can be measured"
                )
        return streams

    def prerequisite(
        self,
        names: Sequence[str],
        given: ThroughputResult | None = None,
        *,
        part: Ratio = Ratio(Fraction(1)),
        standard: Standard | None = None,
    ) -> ThroughputResult:
        """The throughput of streams that another procedure needs first.

        It is searched, if none is given, until the `part` of it that is going to be sent is as precise as
        the profile says. `standard`: that of the procedure; if left out, that of the streams. PlanError if
        the one that is given is no throughput of these streams.
        """
        if given is not None:
            check_prerequisite(given, self.chosen(names))
            return given
        profile = self.profile
        search = ThroughputSearch(
            resolution=Ratio(profile.search_resolution.value / part.value),
            lowest=profile.search_lowest,
            trial_duration=profile.search,
            scout_duration=profile.search_scout,
            stability=profile.stability,
            standard=standard or self.standard(names),
        )
        measurer = self.measurer("throughput", names, rest=profile.search_rest)
        # no verdict rests on its trials, but for that of the stability check
        in_full = bool(profile.trial_residual.ns)
        measurer.leads = search.leads if in_full else lambda load, _duration: load != search.low_load
        return self.found(find_throughput(measurer, search, on_estimate=self.progress.estimate))

    def found(self, result: R) -> R:
        """Records what a procedure found, shows it, and remembers it for `Verify …` and `Get …`.

        What is found once more, as by `Get Stamp Statistics` after `Stop Path`, is recorded once.
        """
        if result is not self.scopes.current.last:
            self.recorder.result(result)
            self.progress.end("; ".join((str(result), *result.shortened)))
            self.remember(result)
        return result

    def remember(self, measured: Trial | Result) -> None:
        """Keeps a measurement, which `Verify …` and `Get …` judge from now on."""
        self.scopes.current.last = measured

    def judged(self, measured: Trial | Result | None = None) -> Trial | Result:
        """The measurement to be judged: the one that is given, or the last one of this test."""
        measured = measured or self.scopes.current.last
        if measured is None:
            failed = self.scopes.current.failed
            since = f"since {failed} failed" if failed else "in this test yet"
            raise TesterLibraryError(f"nothing was measured {since}; give a trial or measure first")
        return measured

    def conclude(self, verdict: Verdict, message: str | None = None) -> Verdict:
        """Records a verdict, and raises unless it is PASS; a message replaces that of a failed one.

        While a path is in the way nobody knows what the device was to do unless all its events have happened:
        then each verdict is INCONCLUSIVE, whatever was measured.
        """
        if self._open:
            verdict = verdict.doubted(*self._open.paths.doubts)
        self.recorder.verdict(verdict)
        return verdict.enforce(message, repeated=self.recorder.judgements.repeating)


def naming(stream: str, describe: Callable[[], T]) -> T:
    """Calls `describe`. A PlanError then names the stream."""
    try:
        return describe()
    except (PlanError, UnitError) as problem:
        raise PlanError(f"stream {stream!r}: {problem}") from None
