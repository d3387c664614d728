*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A data segment and its first retransmission are lost between two stacks of the kernel: counters of the
...               server and the trace say so, each time.

Library           TesterLibrary    testbed=embedded/path-hosts

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2


*** Test Cases ***
A Data Segment And Its First Retransmission
    [Documentation]    The server sends it again twice, and nothing else.
    Set Counter Source    server    ip -j -s link show type veth
    Drop Packet    wan    flow=1    number=20    iteration=1    data_only=True    direction=backward
    Drop Packet    wan    flow=1    number=20    iteration=2    data_only=True    direction=backward
    Traced Download
    Verify Trace Complete    wan
    Verify All Events Fired
    Get Path Statistics    wan    dropped    ==    2
    Get Host Counter    server    TcpRetransSegs    ==    2
    Verify Host Counter    server    TcpRetransSegs    retransmissions    backward


*** Keywords ***
Traced Download
    [Documentation]    Each packet of it is in the trace.
    Start Trace    wan
    Start Path    wan
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.1.3/100kB    timeout=30 s
    Stop Trace    wan
