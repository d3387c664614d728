*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Name servers that answer short questions with long answers amplify whatever an attacker sends in
...                 another one's name. To copy.
...
...                 | robot suites/apps/dns_amplification.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable FACTOR:4 suites/apps/dns_amplification.robot
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}          embedded/dns-gateway
${PROFILE_NAME}     quick    # durations and repetitions where a test does not say
${SERVICE}          192.0.2.53:53    # who is asked
${SERVERS}          198.19.1.53-198.19.1.54:53    # behind the device
${QUESTIONS}        200
${FACTOR}           2    # bytes of answers for each byte of questions, at most


*** Test Cases ***
Answers Are Not Much Longer Than Questions
    [Documentation]    Bytes that leave to the name server and arrive from it are summed up, frames as they are on
    ...    the line. They are known by its address, as only the first piece of a long answer has ports.
    VAR    ${host} =    ${{ $SERVICE.rpartition(":")[0].strip("[]") }}
    VAR    ${ip} =    ${{ "IPv6" if ":" in $host else "IP" }}
    Start Protocol Responder    servers    dns    servers=${SERVERS}    port=p2
    Sum By    questions    keys=${ip}.dst    port=p1    direction=transmitted    filter=${ip}.dst == ${host}
    Sum By    answers    keys=${ip}.src    port=p1    filter=${ip}.src == ${host}
    Start Protocol Clients    users    dns-client    ${SERVICE}    connections=100    rate=500/s    total=${QUESTIONS}
    Wait For Clients    users
    ${asked} =    Get Query Result    questions    value    >    0    key=${host}
    ${told} =    Get Query Result    answers    value    >    0    key=${host}
    Verify Value    ${{$told / $asked}}    <=    ${FACTOR}    of=amplification
