*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A load balancer of a CDN (norma section 8), byte by byte, on an engine and on a switch: clients
...                 open connections, each asks for a file of one length, and servers send it. Short files ask for
...                 connections, long ones for goodput. Nothing may be missing, and nothing counts twice.
...
...                 | robot suites/stateful/cdn.robot
...                 | robot --variable TESTBED:my/switch.yaml --variable LONG:1000 suites/stateful/cdn.robot
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Count Connections Of Servers
Test Teardown       Stop Everything
Test Tags           cdn


*** Variables ***
${TESTBED}          embedded/l7-balancer
${SERVICE}          192.0.2.10:80    # where clients connect to
@{SERVERS}          198.19.1.10    198.19.1.11    198.19.1.12    198.19.1.13    # to which it leads them
${ALL}              198.19.1.10-198.19.1.13    # of these
${CONNECTIONS}      4000    # of clients
${RATE}             2000/s    # of their opening
${WAIT}             1 s    # for an answer to a SYN, before it is sent again; a slow tester takes longer
${SHORT}            1    # segments of 1,000 bytes, of which files are made
${MIDDLE}           10
${LONG}             50
${HEAD}             78    # bytes of a response before the file; more, if the device adds some
${TIME}             60 s    # for all connections
${FEWEST}           ${{ int($CONNECTIONS) // 5 }}    # connections of a server; an even share is a quarter of all


*** Test Cases ***
Short Files Are Whole
    [Documentation]    One segment each: the device has to open connections.
    Files Are Whole    ${SHORT}

Files Of Several Segments Are Whole
    [Documentation]    Servers send the next segment when the one before it is acknowledged.
    Files Are Whole    ${MIDDLE}

Long Files Are Whole
    [Documentation]    The device has to carry payload.
    Files Are Whole    ${LONG}


*** Keywords ***
Count Connections Of Servers
    [Documentation]    Which server is asked for connections is counted where the servers are.
    Count Packets    opened    keys=IP.dst    port=p2    filter=TCP.flags == S and IP.dst == ${ALL}

Files Are Whole
    [Documentation]    Each connection ends well, clients receive each byte once, and each server has its share.
    [Arguments]    ${segments}
    VAR    ${bytes} =    ${{ int($HEAD) + 1000 * int($segments) }}
    Start Protocol Responder    servers    http-get    servers=${ALL}:80    segments=${segments}
    Clients Ask Once
    Wait For Clients    users    completed    ==    ${CONNECTIONS}    timeout=${TIME}
    Get Session Statistics    users    transactions    ==    ${CONNECTIONS}
    Get Session Statistics    users    bytes_received    ==    ${{ int($CONNECTIONS) * $bytes }}
    Get Session Statistics    servers    transactions    ==    ${CONNECTIONS}
    FOR    ${server}    IN    @{SERVERS}
        Get Query Result    opened    value    >=    ${FEWEST}    key=${server}
    END

Clients Ask Once
    [Documentation]    So many connections are opened, each for one file.
    Start Protocol Clients
    ...    users
    ...    http-get-client
    ...    ${SERVICE}
    ...    connections=${CONNECTIONS}
    ...    total=${CONNECTIONS}
    ...    rate=${RATE}
    ...    wait=${WAIT}
    ...    reopen=never
