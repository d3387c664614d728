*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Limits that were planted in a NAT44 gateway, and are found.
Metadata          Testbed    ${TESTBED}

Resource          ../../../resources/stateful.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Start NAT Responder    outside    servers=198.19.1.10:9693
Test Teardown     Stop Everything


*** Variables ***
${TESTBED}    ${None}    # with a limit
${PLANTED}    ${0}    # which it is


*** Test Cases ***
Capacity Is Found Exactly
    [Documentation]    A table of so many connections.
    Start NAT Clients    inside    198.19.1.10:9693    rate=5000/s    total=1
    ${found} =    Find Maximum Concurrent Connections
    ...    inside
    ...    lowest=500
    ...    highest=4000
    ...    duration=1 s
    ...    resolution=0.01 %
    ...    empty=True
    Log To Console    ${found}
    Verify Concurrent Connections Above    ${PLANTED}
    Should Be Equal As Integers    ${found.maximum}    ${PLANTED}
    Should Be Equal As Integers    ${found.failed_at - 1}    ${PLANTED}

Rate Is Found Within The Resolution
    [Documentation]    So many connections are opened each second.
    Start NAT Clients    inside    198.19.1.10:9693    rate=1000/s
    ${found} =    Find Maximum Connection Rate
    ...    inside
    ...    lowest=500/s
    ...    highest=16000/s
    ...    duration=1 s
    ...    resolution=2 %
    ...    empty=True
    Log To Console    ${found}
    Verify Connection Rate Above    ${PLANTED}/s    within=3 %
    Should Be True    ${PLANTED} * 0.97 <= ${found.maximum} <= ${PLANTED} * 1.03

Teardown Rate Is Found
    [Documentation]    So many connections are deleted each second.
    Start NAT Clients    inside    198.19.1.10:9693    rate=4000/s    total=1
    ${found} =    Measure Connection Teardown Rate    inside    connections=1000
    Log To Console    ${found}
    Verify Connection Teardown Rate Above    ${{ int(${PLANTED} * 0.9) }}/s
    Run Keyword And Expect Error    FAIL: connection tear-down rate of inside is *
    ...    Verify Connection Teardown Rate Above    ${{ int(${PLANTED} * 1.1) }}/s

What Is Held Is Forgotten
    [Documentation]    The responder is silent for longer than the gateway keeps an entry.
    [Setup]    Start NAT Responder    outside    servers=198.19.1.10:9693    every=2.5 s
    Start NAT Clients
    ...    inside
    ...    198.19.1.10:9693
    ...    rate=500/s
    ...    total=100
    ...    connections=100
    ...    hold=4 s
    ...    watch=2.8 s
    Wait For Clients    inside    concurrent    ==    0
    Get Session Statistics    inside    established    ==    100
    Get Session Statistics    inside    forgotten    ==    100

Nothing Is Translated
    [Documentation]    A router.
    Start NAT Clients    inside    198.19.1.10:9693    rate=500/s
    Measure Connection Rate    inside    duration=1 s
    Verify Connection Rate Above    500/s

Connections That Servers Have Not Seen Are Found Out
    [Documentation]    Others have answered in their place.
    Start TCP Responder    others    servers=198.19.1.11:80
    Start TCP Responder    servers    servers=198.19.1.12:80
    Start TCP Clients    users    198.19.1.11:80    connections=100    flow_size=0    rate=200/s
    Connections Are Opened Fast Enough    users    200/s    duration=1 s
    Servers Have Seen Them    users    others
    Start TCP Clients    guests    198.19.1.11:80    connections=100    flow_size=0    rate=200/s
    Connections Are Opened Fast Enough    guests    200/s    duration=1 s
    Run Keyword And Expect Error    of * connections that guests have opened, servers have seen 0
    ...    Servers Have Seen Them    guests    servers
