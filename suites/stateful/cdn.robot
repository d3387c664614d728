*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A load balancer of a CDN (norma section 8), byte by byte, on an engine and on a switch: clients
...                 open connections, each asks for a file of one length, and servers send it. Short files ask for
...                 connections, long ones for goodput. Nothing may be missing, and nothing counts twice.
...
...                 | robot suites/stateful/cdn.robot
...                 | robot --variable TESTBED:my/switch.yaml --variable "SIZES:1 kB, 1 MB, 10 MB" suites/stateful
Library             String
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Everything
Test Tags           cdn


*** Variables ***
${TESTBED}          embedded/l7-balancer
${SERVICE}          192.0.2.10:80    # where clients connect to
${SERVERS}          198.19.1.10-198.19.1.13    # to which the device leads them
${FEWEST}           800    # connections of a server, whose even share is a quarter of all
${CONNECTIONS}      4000    # of clients
${RATE}             2000/s    # of their opening
${SIZES}            1 kB, 10 kB, 50 kB    # of files, in whole segments of 1,000 bytes
${HEAD}             78    # bytes of a response before the file; more, if the device adds some
${TIME}             60 s    # for all connections of one length


*** Test Cases ***
Files Of All Lengths Are Whole
    [Documentation]    Each connection ends well, each server has its share, and clients receive each byte once.
    @{sizes} =    Split String    ${SIZES}    ,${SPACE}
    FOR    ${size}    IN    @{sizes}
        Files Are Whole    ${size}
    END


*** Keywords ***
Files Are Whole
    [Documentation]    Of one length.
    [Arguments]    ${size}
    VAR    ${bytes} =    ${{ TesterLibrary.model.quantity.Octets.parse($size).count }}
    Both Ends Are Started    ${bytes}
    Wait For Clients    users    completed    ==    ${CONNECTIONS}    timeout=${TIME}
    Get Session Statistics    users    transactions    ==    ${CONNECTIONS}
    Get Session Statistics    users    bytes_received    ==    ${{ int($CONNECTIONS) * ($bytes + int($HEAD)) }}
    Get Session Statistics    servers    transactions    ==    ${CONNECTIONS}
    Each Server Has Its Share
    Stop Query    opened
    Stop Everything

Both Ends Are Started
    [Documentation]    Clients, and servers with files of one length, in bytes.
    [Arguments]    ${bytes}
    Start Protocol Responder    servers    http-get    servers=${SERVERS}:80    size=${bytes}
    Count Packets    opened    keys=IP.dst    port=p2    filter=TCP.flags == S and IP.dst == ${SERVERS}
    Start Protocol Clients
    ...    users
    ...    http-get-client
    ...    ${SERVICE}
    ...    connections=${CONNECTIONS}
    ...    total=${CONNECTIONS}
    ...    rate=${RATE}
    ...    reopen=never

Each Server Has Its Share
    [Documentation]    Which server was asked for a connection is counted where servers are.
    @{shares} =    Get Query Result    opened    table
    FOR    ${share}    IN    @{shares}
        Verify Value    ${share.packets}    >=    ${FEWEST}    of=connections of ${share.key}
    END
