*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Packets between two TCP stacks of the kernel that are delayed, reordered, lost and shaped.

Library           TesterLibrary    testbed=embedded/path-hosts

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2


*** Test Cases ***
A Delay Is Seen By The Hosts
    [Documentation]    A connection takes a round trip: 30 ms there, 20 ms back.
    Impair Path    wan    delay=30 ms    direction=forward
    Impair Path    wan    delay=20 ms    direction=backward
    Start Path    wan
    ${times} =    Download    time_connect
    Should Be True    0.05 <= ${times} < 1
    Get Path Statistics    wan    lost    ==    0
    Get Host Counter    server    TcpRetransSegs    ==    0

Delays By Their Distribution
    [Documentation]    Ten to fifteen milliseconds each way; what was late is late for a while.
    Impair Path    wan    cdf=10 ms:0 %,11 ms:90 %,15 ms:100 %    correlation=90 %
    Start Path    wan
    ${times} =    Download    time_connect
    Should Be True    0.02 <= ${times} < 1
    Get Path Statistics    wan    lost    ==    0
    Get Host Counter    server    TcpRetransSegs    ==    0

A Reordered Segment Waits For The One Before
    [Documentation]    Two segments overtake it: the receiver queues them, the sender sends nothing again.
    Reorder Packet    wan    2    flow=1    number=20    data_only=True    direction=backward    name=the twentieth
    Start Trace    wan
    Start Path    wan
    Download
    ${trace} =    Stop Trace    wan
    Verify All Events Fired
    Get Host Counter    client    TcpExtTCPOFOQueue    >=    1
    Get Path Statistics    wan    expired    ==    0
    Packet Should Be Held    ${trace}    the twentieth

A Segment That Others Overtake
    [Documentation]    Reordered by time.
    Delay Packet    wan    5 ms    flow=1    number=20    data_only=True    direction=backward    order=allow
    Start Path    wan
    Download
    Verify All Events Fired
    Get Path Statistics    wan    delayed    ==    1
    Get Host Counter    client    TcpExtTCPOFOQueue    >=    1

Losses Are Sent Again
    [Documentation]    Each lost segment of the server costs a retransmission at least.
    Impair Path    wan    loss=5 %    direction=backward
    Start Path    wan
    Download    url=1MB
    Get Path Statistics    wan    loss_drops    >    0
    Get Host Counter    server    TcpRetransSegs    >=    1

Losses In Bursts
    [Documentation]    As Gilbert and Elliott have them.
    Impair Path    wan    to_bad=2 %    to_good=50 %    loss_in_bad=60 %    direction=backward
    Start Path    wan
    Download    url=1MB
    Get Path Statistics    wan    loss_drops    >    0

A Rate Is Never Exceeded
    [Documentation]    A megabyte takes 0.4 s at 20 Mbps; the server finds the queue full.
    Impair Path    wan    delay=1 ms    rate=20 Mbps    queue_bytes=20000    direction=backward
    Start Path    wan
    ${took} =    Download    time_total    url=1MB
    Should Be True    ${took} > 0.4
    Get Path Statistics    wan    tail_drops    >    0
    Get Path Statistics    wan    overflowed    ==    0
    Get Host Counter    server    TcpRetransSegs    >    0

Too Few Follow
    [Documentation]    INCONCLUSIVE, by name: this test is skipped.
    Reorder Packet    wan    60000    flow=1    number=20    limit=20 ms    name=nobody passes
    Start Path    wan
    Download
    Verify All Events Fired

Nothing Was Lost
    [Documentation]    INCONCLUSIVE, by name: this test is skipped.
    Impair Path    wan    loss=0.0000001 %
    Start Path    wan
    Download
    Get Host Counter    server    TcpRetransSegs    ==    0

Mistakes
    [Documentation]    Each says what was given and what is allowed, and changes nothing.
    [Template]    Refused
    *nothing happens*
    *to_bad and to_good belong together*    to_bad=1 %
    *two models of loss*    loss=1 %    to_bad=1 %    to_good=1 %
    *a queue needs a rate*    queue_frames=5
    *needs a delay*    jitter=1 ms
    *are of states*    loss=1 %    loss_in_bad=5 %
    *needs one of queue_frames and queue_bytes*    rate=1 Mbps

Mistakes In Distributions
    [Documentation]    The same of distribution functions and correlations.
    [Template]    Refused
    *needs delays*    correlation=50 %
    *of a constant delay*    delay=1 ms    correlation=50 %
    *is no point of a CDF*    cdf=1 ms
    *has its own mean*    delay=1 ms    cdf=1 ms:0 %,2 ms:100 %
    *one of them*    cdf=1 ms:0 %,2 ms:100 %    cdf_file=delays.csv
    *cannot be read*    cdf_file=/nowhere/delays.csv

Mistakes On Paths
    [Documentation]    The same of a path that is impaired, or forwards.
    Run Keyword And Expect Error    *no path 'lan'*    Impair Path    lan    loss=1 %
    Impair Path    wan    loss=1 %
    Refused    *impaired already*    delay=1 ms    direction=forward
    Start Path    wan
    Refused    *it is forwarding; impair it before*    delay=1 ms
    Stop Path    wan


*** Keywords ***
Packet Should Be Held
    [Documentation]    The trace is complete, and says of one packet that it waited for later ones.
    [Arguments]    ${trace}    ${event}
    Verify Trace Complete    wan
    VAR    ${held} =    ${{[packet for packet in $trace.packets if packet.events]}}
    Should Be Equal As Strings
    ...    ${held[0].events} ${held[0].fate.value} ${held[0].left_ns}
    ...    ('${event}',) held None

Refused
    [Documentation]    A path is not impaired like that.
    [Arguments]    ${error}    &{arguments}
    Run Keyword And Expect Error    ${error}    Impair Path    wan    &{arguments}

Download
    [Documentation]    The client gets something from the server. Returns what curl has measured, in seconds.
    [Arguments]    ${time}=time_total    ${url}=100kB
    ${result} =    Run On Host
    ...    client
    ...    curl --silent --fail --output /dev/null --write-out "\%{${time}}" http://198.18.1.3/${url}
    ...    timeout=60 s
    # Data of which an acknowledgement was on its way when the path stopped would be sent again in the next test.
    Wait Until Keyword Succeeds    2 s    20 ms    Everything Was Acknowledged
    RETURN    ${result.stdout}

Everything Was Acknowledged
    [Documentation]    The server has no connection any more that is open or closing.
    ${open} =    Run On Host    server    ss -Htn state connected exclude time-wait
    Should Be Empty    ${open.stdout}
