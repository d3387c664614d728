*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       The address table of a bridge, which knows PLANTED addresses with two of the tester.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}      embedded/l2-switch
${PLANTED}      260


*** Test Cases ***
Capacity Is Found Exactly
    [Documentation]    To one address, of 200 to 400.
    ${result} =    Find Address Capacity
    ...    lowest=200
    ...    highest=400
    ...    rate=2 k/s
    ...    probe_rate=2 k/s
    ...    ageing=2.5 s
    Should Be Equal As Integers    ${result.capacity}    ${PLANTED}
    Verify Address Capacity Above    ${PLANTED}
