*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Loss and delay of a router for iperf3's traffic, which the tester did not make.
...
...               Stamped, each packet carries the time at which it left to the router; matched, it stays as it
...               is, and is known again by what the router keeps of it.

Library           TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Paths Around The Device

Test Tags         inline    stamp


*** Variables ***
${TESTBED}         embedded/stamped-router
${PROFILE_NAME}    quick    # durations and repetitions where a test does not say
${SERVER}          198.18.2.2
${SECONDS}         1
${LOSS}            0.1 %
${DELAY}           200 ms
${UDP_RATE}        100M    # of iperf3; a fake switch takes 5M


*** Test Cases ***
TCP, Stamped
    [Documentation]    A time in an option of each segment, taken out again behind the router.
    Stamp Traffic    load    between=north,south    headers=IP / TCP
    Send
    The Router Is Good Enough

TCP, Matched
    [Documentation]    The same segments, and nothing in them.
    Stamp Traffic    load    between=north,south    mode=match    headers=IP / TCP
    Send
    The Router Is Good Enough

UDP, Stamped
    [Documentation]    16 bytes before the payload, taken out again.
    Stamp Traffic    load    between=north,south    headers=IP / UDP    direction=forward
    Send    --udp    --bitrate=${UDP_RATE}    --length=1400
    The Router Is Good Enough

UDP, Matched
    [Documentation]    Known by their identification and payload.
    Stamp Traffic    load    between=north,south    mode=match    headers=IP / UDP    direction=forward
    Send    --udp    --bitrate=${UDP_RATE}    --length=1400
    The Router Is Good Enough


*** Keywords ***
Paths Around The Device
    [Documentation]    The tester on both cables of the router.
    Create Path    north    between=p1,p2
    Create Path    south    between=p3,p4

Send
    [Documentation]    iperf3's server on one host, its client on the other one.
    [Arguments]    @{options}
    Start Path
    Start On Host    server    iperf3 --server
    Wait Until Keyword Succeeds
    ...    5 s
    ...    100 ms
    ...    Run On Host
    ...    client
    ...    iperf3
    ...    --client=${SERVER}
    ...    --time=${SECONDS}
    ...    @{options}
    Stop Path

The Router Is Good Enough
    [Documentation]    It loses little, and the packets that it forwards are not late.
    Verify Loss Below    ${LOSS}
    Verify Latency Below    ${DELAY}    percentile=99
    Verify Delay Below    ${DELAY}
