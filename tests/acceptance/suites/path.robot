*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Paths between two TCP stacks of the kernel, and what is said where events do not happen.

Library           TesterLibrary    testbed=embedded/path-hosts

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2


*** Test Cases ***
A Copy Is No Retransmission
    [Documentation]    The receiver says that it has had it twice.
    Duplicate Packet    wan    flow=1    number=5    data_only=True    direction=backward
    Start Path    wan
    Download
    Verify All Events Fired    wan
    Get Path Statistics    wan    duplicated    ==    1
    Get Host Counter    client    TcpExtTCPDSACKOldSent    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    0

A Segment That Was Cut Is Lost
    [Documentation]    A frame shorter than its IP packet is counted by the receiver.
    Truncate Packet    wan    flow=1    number=5    frame_size=200    data_only=True    direction=backward
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    IpExtInTruncatedPkts    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    1

The Second Connection
    [Documentation]    Connections are numbered as they appear.
    Drop Packet
    ...    wan
    ...    flow=2
    ...    number=9
    ...    headers=IP / TCP(sport=80)
    ...    data_only=True
    ...    name=of the second
    Start Path    wan
    Download
    ${before} =    Get Path Statistics    wan
    Should Be Equal As Integers    ${before.fired}    0
    Download
    Verify All Events Fired
    ${after} =    Get Path Statistics    wan
    Should Be Equal    ${after.events[0].name}    of the second
    Get Host Counter    server    TcpRetransSegs    ==    1

It Forwards While Other Jobs Change
    [Documentation]    A capture comes and goes; nothing is lost.
    Start Path    wan
    Start Capture    beside    port=p1
    Download
    Stop Capture    beside
    Download
    Get Path Statistics    wan    lost    ==    0

Stopped
    [Documentation]    Nothing passes any more; counters stay.
    Start Path    wan
    Download
    Stop Path    wan
    ${stopped} =    Get Path Statistics    wan
    Run On Host
    ...    client
    ...    curl --silent --output /dev/null --max-time 1 http://198.18.1.3/1kB
    ...    status=28
    ${later} =    Get Path Statistics    wan
    Should Be Equal As Integers    ${stopped.received}    ${later.received}

Unfired
    [Documentation]    INCONCLUSIVE, by name: this test is skipped.
    Drop Packet    wan    flow=1    number=1000000    name=far too late
    Start Path    wan
    Download
    Verify All Events Fired

Unfired, And A Counter
    [Documentation]    The counter would be as expected; nobody knows whether that says anything.
    Drop Packet    wan    flow=7    number=1    name=nobody
    Start Path    wan
    Download
    Get Host Counter    server    TcpRetransSegs    ==    0

Unfired, And Any Verdict
    [Documentation]    Not only verdicts on the path: nobody knows what any other value says.
    Drop Packet    wan    flow=7    number=1    name=nobody
    Start Path    wan
    Download
    Verify Value    3 ms    <=    5 ms    of=time to the last byte

Mistakes
    [Documentation]    Each says what was given and what is allowed, and changes nothing.
    Run Keyword And Expect Error    *no path 'lan'*wan*    Drop Packet    lan    number=1
    Run Keyword And Expect Error    *nothing given*sequence or pattern*    Drop Packet    wan    flow=1
    Run Keyword And Expect Error    *has not been started*    Get Path Statistics    wan
    Run Keyword And Expect Error    *was not started; call Start Path*    Verify All Events Fired

Mistakes On Hosts
    [Documentation]    The same of programs and counters.
    Run Keyword And Expect Error    *no host 'nobody'*client, server*    Run On Host    nobody    true
    Run Keyword And Expect Error    *status 1, not 0*    Run On Host    client    false
    Run Keyword And Expect Error    *not ended within 100 ms*    Run On Host    client    sleep 5    timeout=100 ms
    Run Keyword And Expect Error    *no counter 'TcpRetrans'*    Get Host Counter    client    TcpRetrans

Mistakes While It Forwards
    [Documentation]    It goes on as it was.
    Start Path    wan
    Run Keyword And Expect Error    *it is forwarding*    Mark Packet    wan    number=1
    Run Keyword And Expect Error    *it is forwarding already*    Start Path    wan
    Create Stream    north    tx=p1    rx=p2
    Run Keyword And Expect Error    *port "p1" is used by path "wan"*    Start Traffic    north


*** Keywords ***
Download
    [Documentation]    The client gets a hundred thousand bytes from the server.
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.1.3/100kB    timeout=30 s
