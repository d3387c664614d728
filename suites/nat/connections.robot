*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A NAT44 gateway by RFC 9693: how many connections it opens each second (section 4.5), how many it
...               deletes each second (section 4.8), and how many it holds at once (section 4.9). Private hosts are
...               behind p1, the Internet is behind p2. To copy: each test stands by itself.
...
...               The testbed has to say in dut.reset.connections how the connection table is emptied.
...
...               | robot suites/nat/connections.robot
...               | robot --variable TESTBED:my/testbed.yaml --variable CAPACITY:50000 suites/nat
Metadata          Testbed    ${TESTBED}

Resource          ../../resources/stateful.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Start NAT Responder    outside    servers=${SERVICE}
Test Teardown     Stop Everything

Test Tags         nat    connections


*** Variables ***
${TESTBED}     embedded/nat
${SERVICE}     198.19.1.10:9693    # of the tester, behind the device
${RATE}        1000/s    # connections that it has to open
${FASTEST}     4000/s    # beyond which nothing is searched
${CAPACITY}    2000    # connections that it has to hold
${MOST}        4000    # beyond which nothing is searched
${DELETED}     10 k/s    # connections that it has to delete
${DURATION}    1 s    # of each trial
${OPEN}        100 ms    # of 99 in 100 connections, until they are answered


*** Test Cases ***
Connections Are Opened Fast Enough
    [Documentation]    The highest rate at which each is answered through its entry. One frame opens a connection.
    ...    Then each is asked for once more (section 4.6).
    [Tags]    opening
    Start NAT Clients    inside    ${SERVICE}    rate=${RATE}
    ${result} =    Find Maximum Connection Rate
    ...    inside
    ...    lowest=${RATE}
    ...    highest=${FASTEST}
    ...    duration=${DURATION}
    ...    resolution=10 %
    ...    empty=True
    ...    validate=True
    Log    ${result}
    Verify Connection Rate Above    ${RATE}
    Verify Session Time Below    time_to_open    ${OPEN}

Connections Are Held
    [Documentation]    Each entry is used from outside again and again. A table that is too small, ports that run out
    ...    and entries that are forgotten too early are found out here.
    [Tags]    holding
    Start NAT Clients    inside    ${SERVICE}    rate=${FASTEST}    total=1
    ${result} =    Find Maximum Concurrent Connections
    ...    inside
    ...    lowest=500
    ...    highest=${MOST}
    ...    duration=${DURATION}
    ...    resolution=5 %
    ...    empty=True
    Log    ${result}
    Verify Concurrent Connections Above    ${CAPACITY}

Connections Are Deleted Fast Enough
    [Documentation]    The table is emptied while connections are held (section 4.8). Those that are left are found out.
    [Tags]    deleting
    Start NAT Clients    inside    ${SERVICE}    rate=${FASTEST}    total=1
    ${result} =    Measure Connection Teardown Rate    inside    connections=${CAPACITY}
    Log    ${result}
    Verify Connection Teardown Rate Above    ${DELETED}

Connections Of TCP Are Opened Fast Enough
    [Documentation]    The same for handshakes, each of which is ended again. A device that answers them by itself,
    ...    in place of the servers, is found out.
    [Tags]    tcp
    Start TCP Responder    servers    servers=${SERVICE}
    Start TCP Clients    users    ${SERVICE}    connections=5000    flow_size=0    rate=${RATE}
    Connections Are Opened Fast Enough    users    ${RATE}    duration=${DURATION}
    Servers Have Seen Them    users    servers
