*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A protocol that nobody else speaks, through a device that has never heard of it. Both ends are
...                 tables in YAML (docs/protocols.md); nothing of them is code. Copy them to speak yours.
...
...                 | robot suites/stateful/private_tunnel.robot
...                 | robot --variable SERVER:my/server.yaml --variable CLIENT:my/client.yaml suites/stateful
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Start Protocol Responder    servers    ${SERVER}    port=p2    servers=${SERVERS}
Test Teardown       Stop Everything
Test Tags           tunnel


*** Variables ***
${TESTBED}          embedded/tunnel-gateway
${SERVER}           private-tunnel    # the table of the servers' end, shipped or a file
${CLIENT}           private-tunnel-client
${SERVICE}          192.0.2.70:7000    # where clients say HELLO
${SERVERS}          198.19.1.70-198.19.1.71:7000    # to which the device leads them
${SESSIONS}         101    # at once; odd, so that a device that deals out servers in turn hits others the second time
${RATE}             200/s    # of new sessions
${DURATION}         3 s
${ECHO}             500 ms    # of 99 in 100 messages, until they are back
${SILENCE}          1500 ms    # within a session, which the device has to survive


*** Test Cases ***
Sessions Carry Messages
    [Documentation]    Each session is opened, echoes ten messages in order, and is closed by both ends.
    Start Protocol Clients    users    ${CLIENT}    ${SERVICE}    connections=${SESSIONS}    rate=${RATE}
    Connections Are Opened Fast Enough    users    ${RATE}    duration=${DURATION}    within=10 %
    Verify Session Time Below    time_to_echo    ${ECHO}
    Get Session Statistics    servers    lost    ==    ${0}

Quiet Sessions Are Kept
    [Documentation]    A device that forgets a silent session leads its next message to another server, which refuses.
    Start Protocol Clients
    ...    users
    ...    ${CLIENT}
    ...    ${SERVICE}
    ...    connections=${SESSIONS}
    ...    rate=1000/s
    ...    total=${SESSIONS}
    ...    messages=2
    ...    pause=${SILENCE}
    Wait For Clients    users    timeout=30 s
    ${refused} =    Get Session Statistics    users    refused
    Get Session Statistics    users    completed    ==    ${SESSIONS}
    ...    after ${SILENCE} of silence ${refused} of ${SESSIONS} sessions were led to a server that does not know them
