# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for resets of the device (RFC 2544 §26.6, RFC 6201)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...methodology.prerequisite import load_of
from ...methodology.reset import ResetKind, ResetMeasurement, ResetResult, measure_reset
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.hooks.reset import replaced_device, reset_hook
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


@component
class Reset:
    """How long a device does not forward because it was reset."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2544", "measure"])
    def measure_reset_time(
        self,
        *streams: str,
        kind: ResetKind = ResetKind.SOFTWARE,
        rate: Rate | None = None,
        steady: Duration | None = None,
        limit: Duration | None = None,
        repetitions: int | None = None,
    ) -> ResetResult:
        """Resets the device by its testbed's hook, and returns how long it forwarded nothing (RFC 6201).

        | ``kind`` | what is reset: ``SOFTWARE``, ``HARDWARE`` or ``POWER``; the testbed has a hook for each |
        | ``rate`` | the rate of each stream, which is the resolution; see below |
        | ``steady`` | the time without a gap in the arrivals after which the device counts as back |
        | ``limit`` | the longest wait for that |
        | ``repetitions`` | how often the device is reset |

        The profile decides about ``steady``, ``limit`` and ``repetitions`` by default. Without a ``rate`` the
        throughput of the streams is searched first, and a part of it is sent, as the profile says. The search
        ends once this part is precise enough. RFC 2544 asks for all of the throughput, with the shortest
        frames.

        INCONCLUSIVE if the hook fails or hangs, and if frames were missing before the reset. If the device is
        not back at the limit, each bound that has passed by then fails.

        Returns a result: ``reset_ns`` (from the last frame before the silence to the first one after it,
        averaged over the repetitions), ``outages`` (of each reset, with the frames lost) and ``hook``.

        | ${result} = | `Measure Reset Time` | north | kind=SOFTWARE |
        | `Verify Reset Time Below` | 30 s | ${result} |
        """
        suite, hook = self._suite, reset_hook(self._suite.open_testbed, kind)
        suite.refuse_without("reset time", streams, by_signature=True, needs=[Counter.OUTAGES])
        measurement = self._measurement(kind, streams, rate, steady, limit, repetitions)
        measurer = suite.measurer("reset", streams, rate)
        result = measure_reset(measurer, measurement(Ratio(measurer.load)), hook.run, hook=str(hook))
        return suite.found(replace(result, changed=replaced_device(suite.tester)))

    @keyword(tags=["verify"])
    @verifies(ResetResult, at_most, source="Measure Reset Time")
    def verify_reset_time_below(self, result: ResetResult, bound: Duration) -> Verdict:
        """Passes if the device forwarded again within the bound after it had stopped, on average.

        | ``bound`` | the longest time, such as ``30 s`` |

        INCONCLUSIVE if no frame was lost: then it is not known whether the device was reset.

        | `Verify Reset Time Below` | 30 s |
        """
        return result.verdict_below(bound)

    def _measurement(
        self,
        kind: ResetKind,
        streams: Sequence[str],
        rate: Rate | None,
        steady: Duration | None,
        limit: Duration | None,
        repetitions: int | None,
    ) -> Callable[[Ratio], ResetMeasurement]:
        """The measurement at a load. Without a rate it is at a part of the throughput, which is searched."""
        profile = self._suite.profile
        part, throughput = None, None
        if rate is None:
            part = profile.reset_part
            throughput = load_of(self._suite.prerequisite(streams, part=part), "a reset")
        return lambda load: ResetMeasurement(
            kind,
            load if part is None or throughput is None else Ratio(throughput * part.value),
            steady=steady or profile.steady,
            limit=limit or profile.reset_limit,
            repetitions=repetitions or profile.resets,
            part=part,
        )
