# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for resets of the device (RFC 2544 §26.6, RFC 6201)."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...measurement.counter import Counter
from ...measurement.trial import Trial
from ...methodology.prerequisite import load_of
from ...methodology.reset import ResetKind, ResetMeasurement, ResetResult, measure_reset
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.reset import replaced_device, reset_hook
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


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

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``kind`` | what is reset: ``SOFTWARE``, ``HARDWARE`` or ``POWER``; the testbed has a hook for each |
        | ``rate`` | the rate of each of the streams, which is the resolution; see below |
        | ``steady`` | for how long frames have to arrive without a break: then the device is back |
        | ``limit`` | how long is waited for that; both as the profile says, if left out |
        | ``repetitions`` | how often the device is reset; as the profile says, if left out |

        Without a ``rate`` the throughput of the streams is searched first, and a part of it is sent, both as
        the profile says: the search ends once that part is precise enough. RFC 2544 asks for all of it, with
        the shortest frames.

        A hook that fails or hangs makes the test INCONCLUSIVE, and so do frames that are missing already
        before the reset. A device that is not back at the limit fails each bound that has passed by then.

        Returns a result: ``reset_ns`` (from the last frame before the silence to the first one after it,
        averaged over the repetitions), ``outages`` (reset by reset, with the frames lost) and ``hook``.

        | ${result} = | `Measure Reset Time` | north | kind=SOFTWARE |
        | `Verify Reset Time Below` | 30 s | ${result} |
        """
        suite, profile = self._suite, self._suite.profile
        hook = reset_hook(suite.open_testbed, kind)
        suite.refuse_without("reset time", streams, by_signature=True, needs=[Counter.OUTAGES])
        found = None if rate else suite.prerequisite(streams, part=profile.reset_part)
        measurer = suite.measurer("reset", streams, rate)
        measurement = ResetMeasurement(
            kind,
            Ratio(load_of(found, "a reset") * profile.reset_part.value if found else measurer.load),
            steady=steady or profile.steady,
            limit=limit or profile.reset_limit,
            repetitions=repetitions or profile.resets,
            part=profile.reset_part if found else None,
        )
        result = measure_reset(measurer, measurement, hook.run, hook=str(hook))
        return suite.found(replace(result, changed=replaced_device(suite.tester)))

    @keyword(tags=["verify"])
    def verify_reset_time_below(
        self, bound: Duration, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the device forwarded again at most so long after it had stopped, on average.

        | =Argument= | =Meaning= |
        | ``bound`` | the longest time, such as ``30 s`` |
        | ``measured`` | a result of `Measure Reset Time`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        Where no frame was lost, nobody knows whether the device was reset: INCONCLUSIVE.

        | `Verify Reset Time Below` | 30 s |
        """
        judged = self._suite.judged_as(ResetResult, measured, about="a reset", source="Measure Reset Time")
        return self._suite.conclude(at_most(judged.verdict_below, bound, within))
