*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A layer-7 load balancer (norma section 8): clients ask on one side, servers answer on the other.
...                 Short flows ask for connections, long ones for goodput. To copy: each test stands by itself.
...
...                 | robot suites/stateful/l7_load_balancer.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable SERVICE:10.0.0.1:80 suites/stateful
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Take Everything Off The Wire
Test Tags           l7


*** Variables ***
${TESTBED}          embedded/l7-balancer
${SERVICE}          192.0.2.10:80    # where clients connect to
@{SERVERS}          198.19.1.10    198.19.1.11    198.19.1.12    198.19.1.13    # to which the balancer leads them
${CONNECTIONS}      20
${DURATION}         3 s
${GOODPUT}          1 Mbps
${FIRST_BYTE}       2 s    # of 99 in 100 requests
${UNFAIRNESS}       20 %    # of an even share, by which a server may have more or less


*** Test Cases ***
Short Flows Are Carried
    [Documentation]    The device has to open connections.
    Flows Are Carried    1 kB

Medium Flows Are Carried
    [Documentation]    Between the two.
    Flows Are Carried    100 kB

Long Flows Are Carried
    [Documentation]    The device has to carry payload.
    Flows Are Carried    1 MB

Servers Have Even Shares
    [Documentation]    As many requests reach each server; a balancer with wrong weights is found out here.
    Start Servers
    Start HTTP Clients    users    ${SERVICE}    connections=${CONNECTIONS}    flow_size=1 kB    total=400    rate=400/s
    Wait Until Keyword Succeeds    20 s    200 ms    All Are Answered    ${400}
    Verify Even Shares    @{SERVERS}    within=${UNFAIRNESS}


*** Keywords ***
Start Servers
    [Documentation]    Each one by itself, so that its part is known.
    FOR    ${server}    IN    @{SERVERS}
        Start HTTP Responder    ${server}    port=p2    servers=${server}:80
    END

Flows Are Carried
    [Documentation]    All connections end well, payload arrives at the rate that is asked for, and soon.
    [Arguments]    ${size}
    Start Servers
    Start HTTP Clients    users    ${SERVICE}    connections=${CONNECTIONS}    flow_size=${size}
    ${result} =    Measure Goodput    users    duration=${DURATION}
    Log    ${result}
    Verify Goodput Above    ${GOODPUT}
    Verify Failed Connections Below    0
    Verify Time To First Byte Below    ${FIRST_BYTE}    percentile=99

All Are Answered
    [Documentation]    So many connections have ended well.
    [Arguments]    ${number}
    ${counted} =    Get Session Statistics    users    completed
    Should Be Equal As Integers    ${counted}    ${number}

Take Everything Off The Wire
    [Documentation]    Nothing of a test is left for the next one.
    Stop Clients
    Stop Responder
