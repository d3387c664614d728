# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the tester and its testbed."""

from __future__ import annotations

from collections.abc import Mapping

from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from ...files.criteria import of_another_layer
from ...model.units.units import Duration
from ...running.opening import LeaseWish
from ...running.suite import Suite
from ...targets.base import Capabilities
from ...testbeds import load_testbed
from .._component import component


@component
class Tester:
    """Opening, closing and asking the tester."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["tester"])
    def use_testbed(self, name: str) -> None:
        """Chooses the testbed, in place of the testbed of the import.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a shipped testbed, such as ``embedded/l3-router``, or the path of a file |

        An open tester is closed and opened again on the new testbed, without its streams. A run of
        ``tester certify`` or ``tester run`` has one testbed at a time, ``${TESTBED}``; other testbeds are
        refused there.

        | `Use Testbed` | embedded/l3-router |
        """
        self._suite.use(name)

    @keyword(tags=["tester"])
    def open_tester(
        self, lease: Duration | None = None, owner: str | None = None, force: bool = False
    ) -> str:
        """Sets the testbed up, starts or reaches the tester, acquires its lease, and finds its gateways.

        Returns the tester's kind and version.

        | =Argument= | =Meaning= |
        | ``lease`` | how long traffic goes on after a run has died, ``1 s`` to ``1 h``; ``0``: no lease |
        | ``owner`` | the owner of the lease, as others see it; user and machine by default |
        | ``force`` | True: takes the tester from its current owner, and ends all that runs there |

        By default ``lease`` is that of the testbed file, or 60 s.

        While the tester is open, other clients are refused; the refusal names the owner and the end of the
        lease. The lease is renewed in the background. It is lost if this machine was cut off or stopped for
        longer than ``lease``, or if another client took the tester over. Then traffic and captures are gone,
        and measurements with them are INCONCLUSIVE and name the new owner. A tester that is started on this
        machine has a lease as well; simulated testers and switches have none and refuse these arguments.

        The testbed is that of the import, ``testbed=``, or of `Use Testbed`; one of them is required. Opening
        an open tester does nothing. If opening fails, everything is taken down again.

        A tester that runs on its own may still have jobs of other clients. Jobs of dead clients of this
        machine are removed, other jobs stay, and a warning names each. Another warning says if the criteria
        of the suite, the variable ``${CRITERIA}``, are for a device of another layer.

        | Suite Setup | Open Tester |
        | Open Tester | lease=5 min | owner=nightly run |
        """
        self._suite.ask_for_lease(LeaseWish(lease, owner, force))
        capabilities = self._suite.open().capabilities
        self._warn_of_criteria()
        return f"{capabilities.target} {capabilities.version}"

    def _warn_of_criteria(self) -> None:
        """Warns of criteria for a device of another layer than that of the open testbed."""
        try:
            criteria = BuiltIn().get_variable_value("${CRITERIA}")
        except RobotNotRunningError:
            return
        if isinstance(criteria, Mapping) and self._suite.testbed:
            testbed = load_testbed(self._suite.testbed)
            warning = of_another_layer(criteria, testbed.name, testbed.dut.layer)
            if warning:
                self._suite.warn(warning)

    @keyword(tags=["tester"])
    def close_tester(self) -> None:
        """Stops all traffic, ends a tester that was started here, and removes an embedded testbed.

        Closing a closed tester does nothing.

        | Suite Teardown | Close Tester |
        """
        self._suite.close()

    @keyword(tags=["tester"])
    def stop_everything(self) -> None:
        """Stops everything that runs: clients, traffic, monitoring, responders and captures.

        For teardowns: it judges nothing, does not replace the last measurement, and does nothing if nothing
        runs or no tester is open. Captures are written to their files. Descriptions of streams stay.

        | Test Teardown | `Stop Everything` |
        """
        self._suite.stop_everything()

    @keyword(tags=["tester"])
    def get_tester_info(self) -> Capabilities:
        """Returns the properties of the tester.

        Attributes: ``target`` (engine, fake), ``version``, ``details``, ``max_streams`` and ``ports``, each
        with ``name``, ``driver``, ``driver_reason`` (why this driver), ``mac`` (bytes), ``link_speed_bps``
        (0 if unknown), ``link_up``, ``max_frame_size`` (with FCS) and ``interface``.

        | ${info} = | `Get Tester Info` |
        | Log | ${info.ports[0].driver} |
        """
        return self._suite.tester.capabilities
