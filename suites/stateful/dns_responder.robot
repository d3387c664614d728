*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Name servers behind a device, such as a balancer or address translation: each question has to be
...                 answered, soon, and by a server in turn. To copy: each test stands by itself.
...
...                 | robot suites/stateful/dns_responder.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable SERVICE:10.0.0.53:53 suites/stateful
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Start Each Server By Itself    ${SERVERS}    53    Start Protocol Responder    dns
Test Teardown       Stop Everything
Test Tags           dns


*** Variables ***
${TESTBED}          embedded/dns-gateway
${SERVICE}          192.0.2.53:53    # whom clients ask
@{SERVERS}          198.19.1.53    198.19.1.54    # to which the device leads them
${ADDRESS}          198.51.100.1    # that the servers give; another one in an answer is a failure
${RATE}             500/s    # questions
${DURATION}         3 s
${ANSWER}           500 ms    # of 99 in 100 questions, until they are answered
${QUESTIONS}        400    # that are shared out
${UNFAIRNESS}       20 %    # of an even share, by which a server may have more or less


*** Test Cases ***
Each Question Is Answered
    [Documentation]    None is asked three times in vain. A server in the device's table that is not there is found out.
    Start Protocol Clients
    ...    users
    ...    dns-client
    ...    ${SERVICE}
    ...    connections=1000
    ...    rate=${RATE}
    ...    reopen=always
    ...    answer=${ADDRESS}
    Connections Are Opened Fast Enough    users    ${RATE}    duration=${DURATION}
    Verify Session Time Below    time_to_answer    ${ANSWER}

Servers Have Even Shares
    [Documentation]    As many questions reach each server.
    Start Protocol Clients
    ...    users
    ...    dns-client
    ...    ${SERVICE}
    ...    connections=1000
    ...    rate=${RATE}
    ...    total=${QUESTIONS}
    ...    answer=${ADDRESS}
    Wait For Clients    users
    Get Session Statistics    users    transactions    ==    ${QUESTIONS}
    ${again} =    Get Session Statistics    users    retransmitted
    Servers Have Answered    ${QUESTIONS}    @{SERVERS}    again=${again}
    Verify Even Shares    @{SERVERS}    within=${UNFAIRNESS}
