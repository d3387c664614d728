*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A suite that has its jobs run by a service; `test_resource.py` runs it.

Resource          ../../../resources/service.resource

Suite Setup       Open Service    ${URL}    ${TOKEN}
Suite Teardown    Release Tester


*** Variables ***
${URL}      http://127.0.0.1:8650
${TOKEN}    ${NONE}
${JOB}      ${EMPTY}


*** Test Cases ***
A Place Is Leased
    [Documentation]    By what it has; others may be allowed to use it.
    ${lease} =    Lease Tester    speed=100G
    Should Be Equal    ${lease}[place]    north
    Allow Tester    bob
    ${places} =    Get Places
    Should Be Equal    ${places}[0][owner]    alice
    Run Keyword And Expect Error    the tester of north is started by each job; use Submit Job    Use Leased Tester

A Job Is Run On It
    [Documentation]    And what it has measured is here.
    ${job} =    Submit Job    ${JOB}
    ${job} =    Wait For Job    ${job}
    Should Be Equal    ${job}[outcome]    PASS
    ${trials} =    Get Trials    ${job}
    Should Be Equal As Integers    ${trials}[0][derived][lost]    0
    ${log} =    Get Job Log    ${job}
    Should Contain    ${log}    PASS: frame loss of north
    ${page} =    Get Report    ${job}
    File Should Not Be Empty    ${page}
    Run Keyword And Expect Error    *410: job ${job}[id] is over: ended    Cancel Job    ${job}

Refusals Say What The Service Says
    [Documentation]    Each in the words of the service.
    Run Keyword And Expect Error    POST /v1/leases: 404: there is no place 'west'; there are north, south
    ...    Lease Tester    place=west
    Run Keyword And Expect Error    *422: job.yaml:1: give the YAML of a campaign or of a job file: a mapping
    ...    Submit Job    - a\n- b\n
    Run Keyword And Expect Error    no place was free within 100ms for {*}, at position 1 of the queue; *
    ...    Lease Tester    place=north    timeout=100ms
    Run Keyword And Expect Error    a token is given as a secret*    Open Service    ${URL}    plain-text
