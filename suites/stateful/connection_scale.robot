*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Many connections at once (RFC 3511 section 5.2), and whether a device that holds them still opens
...                 others as fast. To copy: each test stands by itself.
...
...                 | robot suites/stateful/connection_scale.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable HELD:1000000 suites/stateful
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Start TCP Responder    servers    servers=${SERVERS}
Test Teardown       Stop Everything
Test Tags           scale


*** Variables ***
${TESTBED}          embedded/l4-gateway
${SERVICE}          192.0.2.10:80    # where clients connect to
${SERVERS}          198.19.1.10-198.19.1.13:80    # to which the device leads them
${CLIENTS}          198.18.2.1-198.18.2.20    # addresses of those who hold connections
${HELD}             8000    # connections at once
${FILLING}          4000/s    # of their opening
${RATE}             200/s    # of opening others meanwhile
${DURATION}         2 s
${OPEN}             250 ms    # of 99 in 100 handshakes


*** Test Cases ***
So Many Are Held
    [Documentation]    All at once, each by its own source. A table that is too small for them is found out here.
    Start TCP Clients    users    ${SERVICE}    sources=${CLIENTS}    flow_size=0    rate=${FILLING}    total=1
    ${result} =    Find Maximum Concurrent Connections
    ...    users
    ...    lowest=${{ int($HELD) // 8 }}
    ...    highest=${HELD}
    ...    duration=1 s
    ...    resolution=5 %
    Log    ${result}
    Verify Concurrent Connections Above    ${HELD}

Others Are Opened Meanwhile
    [Documentation]    While the table is as full as it may be, but for these: none fails, and none waits.
    Start TCP Clients
    ...    held
    ...    ${SERVICE}
    ...    sources=${CLIENTS}
    ...    connections=${{ int($HELD) - 1000 }}
    ...    total=${{ int($HELD) - 1000 }}
    ...    flow_size=0
    ...    hold=60 s
    ...    rate=${FILLING}
    ...    reopen=never
    Clients Reach    held    concurrent    ${{ int($HELD) - 1000 }}    timeout=30 s
    Start TCP Clients    users    ${SERVICE}    connections=500    flow_size=1 kB    rate=${RATE}
    Connections Are Opened Fast Enough    users    ${RATE}    duration=${DURATION}
    Verify Session Time Below    time_to_open    ${OPEN}
