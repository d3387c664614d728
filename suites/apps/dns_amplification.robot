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
    [Documentation]    Bytes that leave to port 53 and arrive from it are summed up, frames as they are on the line.
    Start Protocol Responder    servers    dns    servers=${SERVERS}    port=p2
    Sum By    questions    keys=UDP.dport    port=p1    direction=transmitted    filter=UDP.dport == 53
    Sum By    answers    keys=UDP.sport    port=p1    filter=UDP.sport == 53
    Start Protocol Clients    users    dns-client    ${SERVICE}    connections=100    rate=500/s    total=${QUESTIONS}
    Wait For Clients    users
    ${asked} =    Get Query Result    questions    value    >    0    key=53
    ${told} =    Get Query Result    answers    value    >    0    key=53
    Verify Value    ${{$told / $asked}}    <=    ${FACTOR}    of=amplification
