# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the hosts at the ends of a testbed."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...files.document import did_you_mean
from ...measurement.traces.traced_count import REACHES_THE_HOST, Traced, count
from ...methodology.verdicts.host_counters import counter_is_true
from ...model.heading import Heading
from ...model.units.units import Duration
from ...running.hosts import KERNEL, ProgramResult
from ...running.suite import Suite
from ...verdict import Verdict
from .._assertion import asserted
from .._component import component

ONE_MINUTE = Duration(60 * 10**9)


@component
class HostKeywords:
    """Programs and counters of hosts."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["host"])
    def run_on_host(
        self, host: str, command: str, *arguments: str, status: int = 0, timeout: Duration = ONE_MINUTE
    ) -> ProgramResult:
        """Runs a program on a host of the testbed, and waits for its end.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file: ``client``, ``server`` |
        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments, each as it is: nothing is split then |
        | ``status`` | the exit status that it must end with |
        | ``timeout`` | how long it may take |

        Returns an object with ``status``, ``stdout`` and ``stderr``, which are in ``evidence/hosts`` as
        well. It judges nothing: a program that ends with another status, or not at all, is an error of
        the test. Hosts of your own are reached by SSH, or by a command, as the testbed file says.

        A variable whose text others give, as campaigns do, is an argument of its own, behind ``--`` or an
        option's ``=``. So it can be neither an option nor several words.

        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        | `Run On Host` | client | curl | -so | /dev/null | -- | ${URL} |
        """
        return self._suite.hosts.run(host, command, arguments, status=status, timeout=timeout)

    @keyword(tags=["device"])
    def run_in_device(
        self, command: str, *arguments: str, status: int = 0, timeout: Duration = ONE_MINUTE
    ) -> ProgramResult:
        """Runs a program in the device under test, and waits for its end.

        | =Argument= | =Meaning= |
        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments, each as it is: nothing is split then |
        | ``status`` | the exit status that it must end with |
        | ``timeout`` | how long it may take |

        Returns an object with ``status``, ``stdout`` and ``stderr``, which are in ``evidence/hosts`` as
        well. It judges nothing: a program that ends with another status, or not at all, is an error of
        the test. An embedded device is the namespace of this machine in which it is; how a device of your
        own is reached, by SSH or by a command, says ``dut: shell:`` of the testbed file. What it changes
        there stays until the testbed is closed, and beyond that in a device of your own.

        | `Run In Device` | nft add rule netdev filter ingress udp dport 7 drop |
        | `Measure Loss` | duration=1 s |
        """
        return self._suite.hosts.run_in_device(command, arguments, status=status, timeout=timeout)

    @keyword(tags=["host"])
    def start_on_host(self, host: str, command: str, *arguments: str, name: str | None = None) -> str:
        """Starts a program on a host of the testbed, such as a server, and does not wait for its end.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments, each as it is: nothing is split then |
        | ``name`` | what `Stop On Host` calls it; HOST: PROGRAM, if left out |

        It ends with the test, or with the suite if its setup started it. What it said is in
        ``evidence/hosts``. Returns the name.

        | `Start On Host` | server | iperf3 -s |
        | `Run On Host` | client | iperf3 -c 198.18.2.2 -t 2 |
        """
        hosts = self._suite.hosts
        name = name or f"{host}: {command.split()[0] if command.split() else ''}"
        hosts.start(host, command, name, arguments)
        self._suite.open_testbed.tester.scopes.at_end(lambda: hosts.end(name))
        return name

    @keyword(tags=["host"])
    def stop_on_host(self, name: str, *, wait: Duration | None = None) -> ProgramResult:
        """Ends a program that `Start On Host` has started, and returns what it said.

        | =Argument= | =Meaning= |
        | ``name`` | what `Start On Host` has returned |
        | ``wait`` | how long it has to end by itself; it is ended at once, if left out |

        Returns an object with ``status``, ``stdout`` and ``stderr``. A program that was to end by itself and
        has not is an error of the test.

        | ${load} = | `Start On Host` | client | iperf3 -c 198.18.2.2 -t 5 |
        | `Stop On Host` | ${load} | wait=10 s |
        """
        return self._suite.hosts.stop(name, wait=wait)

    @keyword(tags=["host", "get"])
    def get_host_counter(
        self,
        host: str,
        counter: str,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
        *,
        source: str = "nstat",
    ) -> int:
        """Returns a counter of a host, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``counter`` | the counter by nstat's name: ``TcpRetransSegs``, ``TcpExtTCPFastRetrans`` |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many |
        | ``message`` | a text in place of the usual one if the assertion fails |
        | ``source`` | ``nstat``, or what was given to `Set Counter Source`, which has other names |

        It counts from the last `Start Path` on, or else from when the testbed was opened. An assertion is
        INCONCLUSIVE while an event of a path has not fired: then nobody knows what the host was to see.

        | `Get Host Counter` | server | TcpRetransSegs | == | 1 |
        | `Get Host Counter` | server | out_of_seq_request | == | 1 | source=rdma rxe0 |
        """
        suite = self._suite
        value = asserted(
            suite,
            self._counter(host, counter, source),
            assertion_operator,
            assertion_expected,
            subject=f"{counter} of {host}",
            message=message,
        )
        return int(value)

    def _counter(self, host: str, counter: str, source: str) -> int:
        if source != KERNEL:
            value = self._suite.hosts.counter(host, source, counter)
            if isinstance(value, str):
                raise TesterLibraryError(value)
            return value
        found = self._suite.hosts.counters(host)
        if counter not in found:
            raise TesterLibraryError(
                f"the kernel of host {host} has no counter {counter!r}{did_you_mean(counter, list(found))}; "
                "`nstat -az` lists them"
            )
        return found[counter]

    @keyword(tags=["host"])
    def set_counter_source(self, host: str, source: str, *arguments: str) -> None:
        """Has counters of a host read at each `Start Path`, for `Verify Host Counter` and `Get Host Counter`.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``source`` | what prints them: ``ethtool eth0``, ``rdma mlx5_0``, ``ss`` or a command |
        | ``arguments`` | its arguments, each as it is; ``source=`` of other keywords has all in one text |

        ``ethtool`` has the statistics of a NIC, ``rdma`` those of a port of an RDMA device (``rdma mlx5_0/2``
        the second one's).

        ``ss`` takes its filter as on the command line, ``ss dport = :80``; its values are sums over the
        sockets that are open when it is read. A command prints lines with a name and a number, or JSON,
        whose names are the way to a number: ``stats64.rx.packets``. ``nstat`` is read of every host. It ends
        with the test, or with the suite if its setup set it.

        | `Set Counter Source` | server | ethtool eth0 |
        | `Set Counter Source` | server | ip -j -s link show dev eth0 |
        """
        hosts = self._suite.hosts
        name = hosts.watch(host, source, arguments)
        self._suite.open_testbed.tester.scopes.at_end(lambda: hosts.unwatch(host, name))

    @keyword(tags=["host", "trace", "verify"])
    def verify_host_counter(
        self,
        host: str,
        counter: str,
        counts: Traced,
        direction: Heading,
        *,
        source: str = "nstat",
        path: str | None = None,
    ) -> Verdict:
        """Fails if a counter of a host says something else than the trace of a path: a counter that lies.

        | =Argument= | =Meaning= |
        | ``host`` | the name of a host, as in the testbed file |
        | ``counter`` | the name of the counter, as its source has it |
        | ``counts`` | what it is to count, see below |
        | ``direction`` | ``forward`` or ``backward``: in which this passes the path |
        | ``source`` | ``nstat``, or what was given to `Set Counter Source` |
        | ``path`` | the name of the path; may be left out where one trace was stopped |

        ``sent`` are frames that come from the sender of that direction, ``sent_bytes`` their bytes without
        FCS, ``received`` those that have left to its receiver, ``marked`` of these the packets with ECN
        *congestion experienced*; ``retransmissions``, ``timeouts`` and ``resets`` are of TCP. ``roce_sent``
        and ``roce_received`` are packets of RoCEv2, those that a path has damaged not received.

        It counts from the last `Start Path` on, so the trace has to begin before. INCONCLUSIVE where it does
        not, where the counter went on before the path forwarded or behind the end of the trace, where it
        cannot be read, where the trace has a hole, for a host beside others at the first end of a path, and
        for ``received`` and ``marked`` where events have sent packets that are in no trace: copies and
        resets. One that says something else is INCONCLUSIVE where links of the path were down, as well: what
        a host sent meanwhile has not reached the tester.

        | `Start Trace` | wan |
        | `Start Path` | wan |
        | `Stop Trace` | wan |
        | `Verify Host Counter` | server | TcpRetransSegs | retransmissions | backward |
        | `Verify Host Counter` | server | tx_packets | sent | backward | source=ethtool eth0 |
        """
        suite = self._suite
        trace = suite.paths.traces.one(path)
        statistics = suite.paths.statistics(trace.path)
        more = statistics.duplicated + statistics.injected if counts in REACHES_THE_HOST else 0
        made = f"{more:,} packets that events made have left as well" if more else ""

        def judge(value: int | str, doubt: str) -> Verdict:
            return counter_is_true(
                counter,
                host,
                value,
                count(trace, counts, direction),
                what=counts,
                path=trace.path,
                doubt="; ".join(filter(None, (made, doubt))),
            )

        return suite.conclude(suite.paths.counted(trace, host, source, counter, judge))
