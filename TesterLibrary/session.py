# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a suite has open: a testbed, a tester on it, streams, and what was measured last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from .bench import Bench
from .errors import PlanError, TesterLibraryError, UnitError
from .measurement.counter import Counter, not_counted
from .measurement.trial import Trial
from .measurer import TrialMeasurer
from .methodology.result import Result
from .model.departures import Shaping, average_of
from .model.stream import Stream
from .model.units import Rate
from .opening import OpenTester, open_tester
from .planning.mix import mixed
from .reporting.progress import Progress
from .reporting.recorder import Recorder
from .scope import Scopes
from .verdict import Verdict

R = TypeVar("R", bound=Result)
T = TypeVar("T")


@dataclass
class Session:
    """The state that keywords share. One for each imported library."""

    testbed: str
    seed: int
    recorder: Recorder
    progress: Progress
    scopes: Scopes = field(default_factory=Scopes)  # the suites and the test that run, with their streams
    _tester: OpenTester | None = None

    @property
    def tester(self) -> OpenTester:
        """The open tester. Raises TesterLibraryError if there is none."""
        if self._tester is None:
            raise TesterLibraryError(
                "no tester is open; call Open Tester first, for example in the suite setup"
            )
        return self._tester

    @property
    def bench(self) -> Bench:
        """What trials are run on. Raises TesterLibraryError if no tester is open."""
        return self.tester.bench

    @property
    def streams(self) -> MutableMapping[str, Stream]:
        """The streams of the test and of the suites around it, by name."""
        return self.scopes.streams

    @property
    def mixes(self) -> MutableMapping[str, tuple[str, ...]]:
        """The names of the streams of each mix."""
        return self.scopes.mixes

    def open(self) -> Bench:
        """Opens the tester, unless it is open."""
        if self._tester is None:
            self._tester = open_tester(
                self.testbed,
                seed=self.seed,
                recorder=self.recorder,
                progress=self.progress,
                scopes=self.scopes,
            )
        return self._tester.bench

    def close(self) -> None:
        """Takes everything off the wire and down. Closing what is closed is no error."""
        tester, self._tester = self._tester, None
        self.scopes.forget_streams()
        if tester:
            tester.close()

    def use(self, testbed: str) -> None:
        """Chooses another testbed; a tester that is open moves there."""
        was_open = self._tester is not None
        self.close()
        self.testbed = testbed
        if was_open:
            self.open()

    def put(self, *streams: Stream) -> None:
        """Adds or replaces streams, after planning each for its errors. Refused means nothing has changed."""
        for stream in streams:
            if stream.name in self.mixes:
                raise TesterLibraryError(f"{stream.name!r} is a mix; give the stream another name")
            self.tester.traffic.refuse_if_sending(stream.name)
            self.bench.check([stream])
        self.streams.update((stream.name, stream) for stream in streams)

    def put_mix(self, name: str, shares: Mapping[str, Fraction], rate: Rate) -> None:
        """Gives streams their shares of a rate, and all of them a name."""
        if name in self.streams:
            raise TesterLibraryError(f"{name!r} is a stream; give the mix another name")
        streams = mixed(name, [self.stream(own) for own in shares], shares, rate, self.bench.ports)
        self.bench.check(streams)
        self.put(*streams)
        self.mixes[name] = tuple(shares)

    def change(self, name: str, **changes: object) -> None:
        """Changes a stream; its rate and how it is shaped also while it is sending."""
        stream = replace(self.stream(name), **changes)  # type: ignore[arg-type]
        if set(changes) <= {"rate", "shaping"}:
            self.bench.check([stream])
            self.tester.traffic.update(stream)
            self._restore_at_end(name)
            self.streams[name] = stream
        else:
            self.put(stream)

    def _restore_at_end(self, name: str) -> None:
        """A suite's stream that a test changes while it is sending goes on as it was after the test."""
        if name in self.scopes.current.streams:
            return
        traffic, before = self.tester.traffic, self.streams[name]

        def restore() -> str:
            traffic.update(before)
            return ""

        self.scopes.at_end(restore)

    def shape(self, name: str, describe: Callable[[], Shaping | None]) -> None:
        """Spaces the frames of a stream otherwise, at the average rate of the law if it has one."""
        shaping = naming(name, describe)
        average = average_of(shaping)
        self.change(name, shaping=shaping, **({"rate": average} if average else {}))

    def stream(self, name: str) -> Stream:
        """The stream of that name; a mix is none."""
        if name in self.mixes:
            raise TesterLibraryError(f"{name!r} is a mix of {', '.join(self.mixes[name])}; name one of them")
        return self.chosen([name])[0]

    def chosen(self, names: Sequence[str]) -> list[Stream]:
        """The streams of these names, a mix being several; all, if no name is given."""
        names = [own for name in names for own in self.mixes.get(name, (name,))]
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
        rate: Rate | None = None,
        *,
        by_signature: bool = False,
        needs: Sequence[Counter] = (),
    ) -> TrialMeasurer:
        """Runs trials of these streams, or of all, each at its own rate or at the one given.

        The title heads their progress; the last trial is what `Verify …` and `Get …` judge.

        Raises:
            PlanError: the tester does not count what the title needs, or the signature of each frame is
                needed and a stream is sent without. Nothing was sent.
        """
        if missing := set(needs) - self.bench.capabilities.counts:
            raise PlanError(f"{title} cannot be measured: {not_counted(missing)}")
        streams = [stream.at(rate) if rate else stream for stream in self.chosen(names)]
        for stream in streams:
            if by_signature and not stream.signature:
                raise PlanError(
                    f"stream {stream.name!r} is sent without signature, by which {title} is measured; "
                    "its loss and its blind delay can be measured"
                )
        self.progress.begin(f"{title} of {' + '.join(stream.name for stream in streams)}")
        return TrialMeasurer(self.bench, streams, note=self.remember)

    def found(self, result: R) -> R:
        """Records what a procedure found, shows it, and remembers it for `Verify …` and `Get …`."""
        self.recorder.result(result)
        self.progress.end(str(result))
        self.remember(result)
        return result

    def remember(self, measured: Trial | Result) -> None:
        """What `Verify …` and `Get …` judge from now on."""
        self.scopes.current.last = measured

    def judged(self, measured: Trial | Result | None = None) -> Trial | Result:
        """What is to be judged: what is given, or what was measured last in this test."""
        measured = measured or self.scopes.current.last
        if measured is None:
            raise TesterLibraryError("nothing was measured in this test yet; give a trial or measure first")
        return measured

    def conclude(self, verdict: Verdict, message: str | None = None) -> Verdict:
        """Records a verdict, and raises unless it is PASS; a message replaces that of a failed one."""
        self.recorder.verdict(verdict)
        return verdict.enforce(message)


def naming(stream: str, describe: Callable[[], T]) -> T:
    """What is described. A PlanError says of which stream."""
    try:
        return describe()
    except (PlanError, UnitError) as problem:
        raise PlanError(f"stream {stream!r}: {problem}") from None
