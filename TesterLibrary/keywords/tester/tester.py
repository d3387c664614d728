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
        """Chooses the testbed, in place of the one given at import.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a shipped testbed, such as ``embedded/l3-router``, or the path of a file |

        A tester that is open is closed and opened again on the new testbed; its streams are forgotten.
        A run of ``tester certify`` or ``tester run`` has one testbed at a time, ``${TESTBED}``; others are
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
        | ``lease`` | how long traffic outlives a run that dies, ``1 s`` to ``1 h``; ``0``: no lease |
        | ``owner`` | who the tester is leased to, for others who want it; by default user and machine |
        | ``force`` | takes the tester from whoever has it, and ends all that runs there |

        Without ``lease`` that of the testbed file is used, or 60 s.

        While the tester is open nobody else can use it: other clients are refused, and told by whom and until
        when. The lease is renewed in the background. It is lost if this machine was cut off or stopped for
        longer than ``lease``, or if somebody else took the tester over: then traffic and captures are gone,
        and what is measured with them is INCONCLUSIVE and says who has the tester now.
        A tester that is started on this machine has a lease, too; simulated testers and switches have none
        and refuse these arguments.

        The testbed is that of the import, ``testbed=``, or of `Use Testbed`; without one it is refused.
        Opening an open tester does nothing. What fails half-way is taken down again.

        A tester that runs on its own may still have jobs of other clients: those of clients of this machine
        that died are removed, the others are left, and a warning names each. Another warning says that the
        criteria of the suite, the variable ``${CRITERIA}``, are for a device of another layer.

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
            other = of_another_layer(criteria, testbed.name, testbed.dut.layer)
            if other:
                self._suite.warn(other)

    @keyword(tags=["tester"])
    def close_tester(self) -> None:
        """Takes all traffic off the wire, ends the tester if we started it, removes the testbed if embedded.

        Closing a closed tester does nothing.

        | Suite Teardown | Close Tester |
        """
        self._suite.close()

    @keyword(tags=["tester"])
    def stop_everything(self) -> None:
        """Takes off the wire, and ends, whatever runs: clients, traffic, monitoring, responders and captures.

        For teardowns: it judges nothing, is not the last measurement, and does nothing where nothing runs or
        no tester is open. Captures are written to their files. Streams stay as they were described.

        | Test Teardown | `Stop Everything` |
        """
        self._suite.stop_everything()

    @keyword(tags=["tester"])
    def get_tester_info(self) -> Capabilities:
        """Returns who the tester is.

        Attributes: ``target`` (engine, fake), ``version``, ``details``, ``max_streams`` and ``ports``, each
        with ``name``, ``driver``, ``driver_reason`` (why it was chosen), ``mac`` (bytes), ``link_speed_bps``
        (0 if the link does not know), ``link_up``, ``max_frame_size`` (with FCS) and ``interface``.

        | ${info} = | `Get Tester Info` |
        | Log | ${info.ports[0].driver} |
        """
        return self._suite.tester.capabilities
