*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A layer-7 load balancer (norma section 8): clients ask on one side, servers answer on the other.
...                 Short flows ask for connections, long ones for goodput. To copy: each test stands by itself,
...                 and opens the tester anew: a device that still has connections to servers of the test before would
...                 wait for those.
...
...                 | robot suites/stateful/l7_load_balancer.robot
...                 | robot --variable "SIZES:1 kB, 1 MB, 10 MB, 100 MB" --variable "DURATION:30 s" suites/stateful
...                 | robot --variable TESTBED:my/testbed.yaml --variable SERVICE:10.0.0.1:80 suites/stateful
Library             String
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Test Setup          Open Tester
Test Teardown       Close Tester
Test Tags           l7


*** Variables ***
${TESTBED}          embedded/l7-balancer
${SERVICE}          192.0.2.10:80    # where clients connect to
@{SERVERS}          198.19.1.10    198.19.1.11    198.19.1.12    198.19.1.13    # to which the balancer leads them
@{SOURCES}          198.18.1.10    198.18.1.11    198.18.1.12    198.18.1.13    # of the clients of each server
${CONNECTIONS}      4000    # open at once
${SIZES}            1 kB, 10 kB, 100 kB, 1 MB    # of flows, from short to long
${DURATION}         5 s    # of measuring with each size
${GOODPUT}          1 Mbps    # of all clients, with flows of any size
${FIRST_BYTE}       2 s    # of 99 in 100 requests for 1 kB, on few connections
${UNFAIRNESS}       20 %    # of an even share, by which a server may have more or less


*** Test Cases ***
Short Flows Are Answered Soon
    [Documentation]    The device has to open connections, and is not asked for more than it can.
    Start Servers
    Start HTTP Clients    users    ${SERVICE}    connections=20    response_size=1 kB
    Measure Goodput    users    duration=3 s
    Verify Goodput Above    ${GOODPUT}
    Verify Failed Connections Below    0
    Verify Time To First Byte Below    ${FIRST_BYTE}    percentile=99

The Header Says Which Server
    [Documentation]    Clients ask for one host each, and the balancer leads them by that to its server, all of them.
    Start Servers
    FOR    ${index}    ${server}    IN ENUMERATE    @{SERVERS}    start=1
        Start Clients Of    ${index}    connections=20    response_size=1 kB    total=${index * 40}    rate=200/s
    END
    FOR    ${index}    ${server}    IN ENUMERATE    @{SERVERS}    start=1
        Wait For Clients    users-${index}
        Get Session Statistics    users-${index}    completed    ==    ${index * 40}
        Get Session Statistics    ${server}    transactions    ==    ${index * 40}
    END

Servers Have Even Shares
    [Documentation]    As many requests reach each server; a balancer with wrong weights is found out here, and one that
    ...    asks more than one server for a request.
    Start Servers
    Start HTTP Clients    users    ${SERVICE}    connections=20    response_size=1 kB    total=400    rate=400/s
    Wait For Clients    users
    Get Session Statistics    users    completed    ==    400
    Servers Have Answered    400    @{SERVERS}
    Verify Even Shares    @{SERVERS}    within=${UNFAIRNESS}

Flows Of All Sizes Are Carried
    [Documentation]    Goodput with so many connections open, that of each server, and the knee: with flows shorter
    ...    than that, opening connections is what limits the device, with longer ones it is payload.
    [Tags]    l7-sizes
    @{sizes} =    Split String    ${SIZES}    ,${SPACE}
    VAR    &{goodputs} =    &{EMPTY}
    FOR    ${size}    IN    @{sizes}
        ${goodputs}[${size}] =    Flows Are Carried    ${size}
    END
    FOR    ${size}    ${goodput}    IN    &{goodputs}
        IF    $goodput < 0.8 * ${{max($goodputs.values())}}
            Log    With flows of ${size} the device is limited by opening connections    console=True
        END
    END


*** Keywords ***
Start Servers
    [Documentation]    All of them answer HTTP, each one by itself.
    Start Each Server By Itself    ${SERVERS}    80    Start HTTP Responder

Start Clients Of
    [Documentation]    Those who ask for the host of one server, from an address of their own.
    [Arguments]    ${index}    &{options}
    VAR    ${own} =    ${SOURCES}[${index - 1}]
    Start HTTP Clients    users-${index}    ${SERVICE}    sources=${own}    host=${index}    &{options}

Flows Are Carried
    [Documentation]    Goodput is what is asked for, and no connection fails. Returns it in bits each second.
    [Arguments]    ${size}
    Start On A Fresh Device    ${size}
    ${before} =    Statistics Of Servers
    ${result} =    Measure Goodput    users    duration=${DURATION}
    ${after} =    Statistics Of Servers
    Log What Servers Delivered    ${size}: ${result}    ${before}    ${after}
    Verify Goodput Above    ${GOODPUT}
    Get Session Statistics    users    failed    ==    ${0}
    RETURN    ${result.trial.goodput_bps}

Start On A Fresh Device
    [Documentation]    With what is left of shorter flows it would be busy for long.
    [Arguments]    ${size}
    Close Tester
    Open Tester
    Start Servers
    Start HTTP Clients    users    ${SERVICE}    connections=${CONNECTIONS}    response_size=${size}

Statistics Of Servers
    [Documentation]    Of each, since its start.
    VAR    @{all} =    @{EMPTY}
    FOR    ${server}    IN    @{SERVERS}
        ${one} =    Get Session Statistics    ${server}
        VAR    @{all} =    @{all}    ${one}
    END
    RETURN    ${all}

Log What Servers Delivered
    [Documentation]    The goodput of each between two reads: payload that the balancer has acknowledged.
    [Arguments]    ${title}    ${before}    ${after}
    Log    ${title}    console=True
    FOR    ${server}    ${earlier}    ${later}    IN ZIP    ${SERVERS}    ${before}    ${after}
        VAR    ${goodput} =    ${{$later.since($earlier).delivered_bps / 1e6}}
        Log    goodput of ${server}: ${{round($goodput, 1)}} Mbps    console=True
    END
