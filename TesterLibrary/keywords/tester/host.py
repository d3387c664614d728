# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the hosts at the ends of a testbed."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...errors import TesterLibraryError, did_you_mean
from ...measurement.traces.traced_count import Traced
from ...methodology.verdicts.host_counters import judge_of_counter
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

        | ``host`` | the name of a host, as in the testbed file: ``client``, ``server`` |
        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments; each is passed unchanged, and nothing is split |
        | ``status`` | the required exit status |
        | ``timeout`` | the longest time that it may take |

        Returns an object with ``status``, ``stdout`` and ``stderr``, which are in ``evidence/hosts`` as well.
        It judges nothing: a program that ends with another status, or that does not end, is an error of the
        test. Your own hosts are reached by SSH or by a command, as the testbed file says.

        If the text of a variable comes from others, as in campaigns, make it an argument of its own, behind
        ``--`` or the ``=`` of an option. Then it can be neither an option nor several words.

        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        | `Run On Host` | client | curl | -so | /dev/null | -- | ${URL} |
        """
        return self._suite.hosts.run(host, command, arguments, status=status, timeout=timeout)

    @keyword(tags=["device"])
    def run_in_device(
        self, command: str, *arguments: str, status: int = 0, timeout: Duration = ONE_MINUTE
    ) -> ProgramResult:
        """Runs a program in the device under test, and waits for its end.

        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments; each is passed unchanged, and nothing is split |
        | ``status`` | the required exit status |
        | ``timeout`` | the longest time that it may take |

        Returns an object with ``status``, ``stdout`` and ``stderr``, which are in ``evidence/hosts`` as well.
        It judges nothing: a program that ends with another status, or that does not end, is an error of the
        test. An embedded device is a namespace of this machine. Your own device is reached by SSH or by a
        command: ``dut: shell:`` of the testbed file says how. Changes in an embedded device last until the
        testbed is closed; changes in your own device last longer.

        | `Run In Device` | nft add rule netdev filter ingress udp dport 7 drop |
        | `Measure Loss` | duration=1 s |
        """
        return self._suite.hosts.run_in_device(command, arguments, status=status, timeout=timeout)

    @keyword(tags=["host"])
    def start_on_host(self, host: str, command: str, *arguments: str, name: str | None = None) -> str:
        """Starts a program on a host of the testbed, such as a server, and does not wait for its end.

        | ``host`` | the name of a host, as in the testbed file |
        | ``command`` | a program; alone it may have arguments behind it, split as by a shell (none runs) |
        | ``arguments`` | its arguments; each is passed unchanged, and nothing is split |
        | ``name`` | the name of the program, for `Stop On Host`; HOST: PROGRAM by default |

        It ends with the test, or with the suite if its setup started it. Its output is in ``evidence/hosts``.
        Returns the name.

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
        """Ends a program that `Start On Host` has started, and returns its output.

        | ``name`` | what `Start On Host` has returned |
        | ``wait`` | how long to wait until it ends by itself; by default it is ended at once |

        Returns an object with ``status``, ``stdout`` and ``stderr``. A program that has not ended by itself
        within ``wait`` is an error of the test.

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

        | ``host`` | the name of a host, as in the testbed file |
        | ``counter`` | the counter by nstat's name: ``TcpRetransSegs``, ``TcpExtTCPFastRetrans`` |
        | ``assertion_expected`` | a number |
        | ``source`` | ``nstat``, or a source of `Set Counter Source`, which has other names |

        It counts from the last `Start Path` on, or else from the opening of the testbed. An assertion is
        INCONCLUSIVE while an event of a path has not fired: the host may not have seen what it should see.

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
        counters = self._suite.hosts.counters(host)
        if counter not in counters:
            raise TesterLibraryError(
                f"the kernel of host {host} has no counter {counter!r}{did_you_mean(counter, counters)}; "
                "`nstat -az` lists them"
            )
        return counters[counter]

    @keyword(tags=["host"])
    def set_counter_source(self, host: str, source: str, *arguments: str) -> None:
        """Reads counters of a host at each `Start Path`, for `Verify Host Counter` and `Get Host Counter`.

        | ``host`` | the name of a host, as in the testbed file |
        | ``source`` | what prints the counters: ``ethtool eth0``, ``rdma mlx5_0``, ``ss`` or a command |
        | ``arguments`` | arguments of the source, each unchanged; other keywords name all in one text |

        ``ethtool`` has the statistics of a NIC, ``rdma`` those of a port of an RDMA device; ``rdma mlx5_0/2``
        is its second port. ``ss`` takes its filter as on the command line, ``ss dport = :80``; its values are
        sums over the sockets that are open at the time. A command prints lines with a name and a number, or
        JSON; a name is then the path to a number: ``stats64.rx.packets``. ``nstat`` is read for every host.
        The source is used until the end of the test, or of the suite if its setup set it.

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
        """Fails if a counter of a host differs from the trace of a path.

        | ``host`` | the name of a host, as in the testbed file |
        | ``counter`` | the name of the counter in its source |
        | ``counts`` | what the counter counts, see below |
        | ``direction`` | the direction on the path: ``forward`` or ``backward`` |
        | ``source`` | ``nstat``, or a source of `Set Counter Source` |
        | ``path`` | the name of the path; may be left out if one trace was stopped |

        | =Counts= | =Meaning= |
        | ``sent``, ``sent_bytes`` | frames from the sender of that direction, and their bytes without FCS |
        | ``received`` | frames that have left to its receiver |
        | ``marked`` | received packets with ECN *congestion experienced* |
        | ``retransmissions``, ``timeouts``, ``resets`` | of TCP |
        | ``roce_sent``, ``roce_received`` | packets of RoCEv2; damaged packets are not received |

        It counts from the last `Start Path` on, so the trace has to begin before. INCONCLUSIVE
        - if it does not, or if packets are missing in the trace;
        - if the counter changed before the path forwarded or after the end of the trace, or cannot be read;
        - for a host beside others at the first end of a path;
        - for ``received`` and ``marked`` if events have sent packets that are in no trace: copies and resets;
        - if it differs while links of the path were down: frames that the host sent then did not arrive.

        | `Start Trace` | wan |
        | `Start Path` | wan |
        | `Stop Trace` | wan |
        | `Verify Host Counter` | server | TcpRetransSegs | retransmissions | backward |
        | `Verify Host Counter` | server | tx_packets | sent | backward | source=ethtool eth0 |
        """
        paths = self._suite.paths
        trace = paths.traces.one(path)
        judge = judge_of_counter(counter, host, trace, paths.statistics(trace.path), counts, direction)
        return self._suite.conclude(paths.counted(trace, host, source, counter, judge))
