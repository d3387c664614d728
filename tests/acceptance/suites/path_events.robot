*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Rewritten fields, blackholes, links that go down, and resets, between two TCP stacks of the kernel.

Library           TesterLibrary    testbed=embedded/path-hosts

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2


*** Test Cases ***
A Field Of A Packet
    [Documentation]    Its checksum follows: the receiver takes the packet.
    Rewrite Field    wan    IP.ttl    7    flow=1    number=9    data_only=True    direction=backward
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    IpExtInCsumErrors    ==    0
    Get Host Counter    server    TcpRetransSegs    ==    0

A Field And A Checksum That Is Wrong Then
    [Documentation]    The receiver's kernel says so, and the segment is sent again.
    Rewrite Field
    ...    wan
    ...    TCP.urgptr
    ...    7
    ...    flow=1
    ...    number=9
    ...    data_only=True
    ...    direction=backward
    ...    checksum=keep
    Start Path    wan
    Download
    Verify All Events Fired
    Get Host Counter    client    TcpInCsumErrors    ==    1
    Get Host Counter    server    TcpRetransSegs    ==    1

A Field Of Another Header
    [Documentation]    INCONCLUSIVE, by name: this test is skipped.
    Rewrite Field    wan    UDP.dport    7    every=1    name=of UDP
    Start Path    wan
    Download
    Verify All Events Fired

A Blackhole For A Time
    [Documentation]    The server waits for an acknowledgment until its timer is over, and goes on afterwards.
    Blackhole Path    wan    150 ms    flow=1    number=20    data_only=True    direction=backward
    Start Path    wan
    Download
    Verify All Events Fired
    ${path} =    Get Path Statistics    wan
    Should Be Equal    ${path.events[0].fired}    ${path.dropped}
    ${lasted} =    Evaluate    $path.events[0].last_fired_ns - $path.events[0].first_fired_ns
    Should Be True    ${lasted} < 150_000_000
    Get Host Counter    server    TcpExtTCPTimeouts    >=    1

A Blackhole Of A Flow
    [Documentation]    The first connection is never answered; the second one passes.
    Blackhole Path    wan    1 h    flow=1    number=1    packets=flow
    Start Path    wan
    Run On Host
    ...    client
    ...    curl --silent --output /dev/null --max-time 1 http://198.18.1.3/1kB
    ...    status=28
    Download
    Verify All Events Fired

A Blackhole Both Ways
    [Documentation]    Nothing of the other direction passes any more either.
    Blackhole Path    wan    1 h    flow=1    number=1    direction=forward    both_ways=True
    Start Path    wan
    Run On Host
    ...    client
    ...    curl --silent --output /dev/null --max-time 0.5 http://198.18.1.3/1kB
    ...    status=28
    Run On Host
    ...    server
    ...    curl --silent --output /dev/null --max-time 0.5 http://198.18.1.2/1kB
    ...    status=28
    Verify All Events Fired
    ${path} =    Get Path Statistics    wan
    Should Be True    ${path.directions[1].dropped} > 0

A Link That Goes Down
    [Documentation]    The client sees no carrier; its transfer goes on when the link is back.
    Take Link Down    wan    1500 ms    flow=1    number=20    data_only=True    direction=backward    ports=p1
    Start Path    wan
    ${transfer} =    Start On Host
    ...    client
    ...    curl --silent --fail --output /dev/null http://198.18.1.3/100kB
    Run On Host
    ...    client
    ...    sh -c "until ip link show | grep NO-CARRIER; do sleep 0.01; done"
    ...    timeout=10 s
    Stop On Host    ${transfer}    wait=10 s
    Verify All Events Fired
    ${path} =    Get Path Statistics    wan
    Should Be True    ${path.events[0].first_fired_ns} < ${path.events[0].first_down_ns}
    Should Be True    ${path.events[0].last_up_ns} - ${path.events[0].first_fired_ns} >= 1_500_000_000

A Connection That Is Reset By Data
    [Documentation]    Both kernels take the reset.
    Reset Connection    wan    flow=1    number=20    data_only=True    direction=backward
    Connection Is Reset

A Connection That Is Reset By An Acknowledgment
    [Documentation]    What is on its way to the client has been sent since.
    Reset Connection    wan    flow=1    number=40    direction=forward
    Connection Is Reset

A Connection That Is Refused
    [Documentation]    A reset of the SYN is what a closed port answers.
    Reset Connection    wan    flow=1    number=1
    Start Path    wan
    Run On Host    client    curl --silent --output /dev/null http://198.18.1.3/1kB    status=7
    Verify All Events Fired

Mistakes
    [Documentation]    Each says what was given and what is allowed, and changes nothing.
    Run Keyword And Expect Error
    ...    *no field 'tll' (did you mean 'ttl'*
    ...    Rewrite Field    wan    IP.tll    1    number=1
    Run Keyword And Expect Error
    ...    *it is a checksum*checksum=keep*
    ...    Rewrite Field    wan    TCP.chksum    1    number=1
    Run Keyword And Expect Error
    ...    *give some that have it*
    ...    Rewrite Field    wan    VLAN.vlan    1    number=1
    Run Keyword And Expect Error    *duration=7200 s*1 ns to *    Blackhole Path    wan    2 h    number=1
    Reset Connection    wan    number=1
    Run Keyword And Expect Error    *drops that packet before*    Mark Packet    wan    number=1


*** Keywords ***
Connection Is Reset
    [Documentation]    Of two that were established, none is any more, and nobody was challenged (RFC 5961).
    Start Path    wan
    Run On Host    client    curl --silent --output /dev/null http://198.18.1.3/10MB    status=56
    Verify All Events Fired
    Get Path Statistics    wan    injected    >=    1
    Get Host Counter    client    TcpEstabResets    ==    1
    Get Host Counter    server    TcpEstabResets    ==    1
    Get Host Counter    client    TcpExtTCPChallengeACK    ==    0
    Get Host Counter    server    TcpExtTCPChallengeACK    ==    0

Download
    [Documentation]    The client gets a hundred thousand bytes from the server.
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.1.3/100kB    timeout=30 s
