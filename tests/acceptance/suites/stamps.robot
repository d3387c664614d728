*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     What a router was made to lose is found to the packet; and what cannot be measured is said.

Library           Collections
Library           String
Library           TesterLibrary    testbed=embedded/stamped-router

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Paths Around The Router
Test Teardown     Forget What Was Planted


*** Test Cases ***
Planted Loss Of TCP, Stamped
    [Documentation]    The counter of the router's rule is the truth.
    Stamp Traffic    load    between=north,south    headers=IP / TCP    direction=forward
    Plant Loss    ip protocol tcp    1000
    Send
    The Router Has Lost What Its Counter Says
    Verify Loss Below    0.2 %
    Run Keyword And Expect Error    FAIL: loss of load*    Verify Loss Below    0.01 %

Planted Loss Of TCP, Matched
    [Documentation]    The same without a stamp in any packet.
    Stamp Traffic    load    between=north,south    mode=match    headers=IP / TCP    direction=forward
    Plant Loss    ip protocol tcp    1000
    Send
    The Router Has Lost What Its Counter Says

Planted Loss Of UDP, Stamped
    [Documentation]    Known by the begin of the payload.
    Stamp Traffic    load    between=north,south    headers=IP / UDP    direction=forward
    Plant Loss    udp dport 5201    1000
    Send    --udp --bitrate 100M --length 1000
    The Router Has Lost What Its Counter Says

Planted Loss Of UDP, Matched
    [Documentation]    The same by identification and payload.
    Stamp Traffic    load    between=north,south    mode=match    headers=IP / UDP    direction=forward
    Plant Loss    udp dport 5201    1000
    Send    --udp --bitrate 100M --length 1000
    The Router Has Lost What Its Counter Says

Stamps That Stay In
    [Documentation]    Kernels ignore the option.
    Stamp Traffic    load    between=north,south    headers=IP / TCP    remove=False
    Send    --bitrate 50M
    Verify Loss Below    0.1 %
    Get Path Statistics    south    received    >    100

A Queue Of Known Length
    [Documentation]    A token bucket holds packets for 20 ms at most, and drops the others.
    Stamp Traffic    load    between=north,south    headers=IP / UDP    direction=forward
    Run On Host    router    tc qdisc add dev p3 root tbf rate 20mbit burst 3000 latency 20ms
    Send    --udp --bitrate 30M --length 1000
    ${truth} =    Dropped By The Queue
    ${result} =    Get Stamp Statistics    load
    Should Be Equal As Integers    ${result.packets('forward').lost}    ${truth}
    Should Be True    ${truth} > 100
    Verify Latency Below    60 ms    percentile=99
    Run Keyword And Expect Error    FAIL: p50 delay*    Verify Latency Below    5 ms    percentile=50

A Packet That Is Too Long
    [Documentation]    It passes without a stamp, and whether it was lost nobody knows.
    Stamp Traffic    load    between=north,south    headers=IP / TCP    direction=forward    mtu=1400
    Send    --bitrate 20M
    Get Stamp Statistics    load    too_long    >    100
    Get Stamp Statistics    load    unknown    ==    0
    Verify Loss Below    0

More Flows Than There Is Room For
    [Documentation]    They are counted in all.
    Stamp Traffic    load    between=north,south    headers=IP / TCP    direction=forward    flows=1
    Send    --bitrate 20M --parallel 3
    Get Stamp Statistics    load    flows    ==    1
    Get Stamp Statistics    load    untracked    >    100
    Verify Loss Below    0.1 %

Nothing Was Stamped
    [Documentation]    There is no traffic with these headers.
    Stamp Traffic    load    between=north,south    headers=IP / SCTP    mode=match
    Send    --bitrate 20M
    Verify Loss Below    0

Flows While They Are Stamped, And Afterwards
    [Documentation]    Each with its own figures.
    Stamp Traffic    load    between=north,south    headers=IP / TCP
    Start Path
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.2.2/100kB
    One Flow Has Lost Nothing
    Stop Path
    Verify Loss Below    0
    One Flow Has Lost Nothing

A Path Has One Group Of Stamps
    [Documentation]    A second one is refused, and so is one path twice.
    Stamp Traffic    load    between=north,south
    Run Keyword And Expect Error
    ...    *path 'north' has the stamps 'load' already*
    ...    Stamp Traffic    more    between=north,south
    Run Keyword And Expect Error    *path 'north' is given twice*    Stamp Traffic    load    between=north,north
    Run Keyword And Expect Error    *there is no path 'west'*    Stamp Traffic    load    between=north,west
    Run Keyword And Expect Error    *kept=source tells no two packets*    Stamp Traffic
    ...    load    between=north,south    mode=match    kept=source
    Run Keyword And Expect Error    *no packet was stamped; start both paths*    Get Stamp Statistics    load


*** Keywords ***
One Flow Has Lost Nothing
    [Documentation]    The only flow is that of the download.
    ${flows} =    Get Stamped Flows    load
    Length Should Be    ${flows}    1
    Should Be Equal As Integers    ${flows[0].lost}    0
    Should Be True    ${flows[0].delay.p99} > 0
    Should End With    ${flows[0].name}    > 198.18.2.2:80

Paths Around The Router
    [Documentation]    The tester on both of its cables.
    Create Path    north    between=p1,p2
    Create Path    south    between=p3,p4

Send
    [Documentation]    iperf3 from one host to the other one, for a second.
    [Arguments]    ${more}=${EMPTY}
    Start Path
    ${server} =    Start On Host    server    iperf3 --server
    Wait Until Keyword Succeeds
    ...    5 s
    ...    100 ms
    ...    Run On Host    client    iperf3 --client 198.18.2.2 --time 1 ${more}
    Stop On Host    ${server}
    Stop Path

Plant Loss
    [Documentation]    The router drops each n-th of these packets to the server, from the tenth on, and counts them.
    [Arguments]    ${packets}    ${each}
    Run On Host    router    nft add table ip planted
    Run On Host    router    nft add counter ip planted dropped
    Run On Host    router    nft 'add chain ip planted forward { type filter hook forward priority 0 ; }'
    VAR    ${rule} =    ip daddr 198.18.2.2 ${packets} numgen inc mod ${each} == 9
    Run On Host    router    nft add rule ip planted forward ${rule} counter name dropped drop

The Router Has Lost What Its Counter Says
    [Documentation]    To the packet.
    ${said} =    Run On Host    router    nft list counter ip planted dropped
    ${truth} =    Get Regexp Matches    ${said.stdout}    packets (\\d+)    1
    ${result} =    Get Stamp Statistics    load
    Should Be Equal As Integers    ${result.packets('forward').lost}    ${truth[0]}
    Should Be True    ${truth[0]} > 5

Dropped By The Queue
    [Documentation]    What the queue of the router says itself.
    ${said} =    Run On Host    router    tc -s qdisc show dev p3
    ${found} =    Get Regexp Matches    ${said.stdout}    dropped (\\d+)    1
    RETURN    ${found[0]}

Forget What Was Planted
    [Documentation]    In the router, whether there is something or not.
    Run On Host    router    sh -c 'nft delete table ip planted; tc qdisc del dev p3 root; true'
