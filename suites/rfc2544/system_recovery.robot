*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.5: how long the device goes on losing frames after an overload of 110 % of its
...                 throughput, at half of that load.
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           system-recovery    layer-${CRITERIA.layer}
Test Template       Recovery Takes At Most


*** Variables ***
${TESTBED}      embedded/short-queue    # the other embedded devices forward at line rate: nothing overloads them


*** Test Cases ***    FRAME SIZE    AT MOST
64 Bytes              64            ${CRITERIA.system_recovery}[64]
128 Bytes             128           ${CRITERIA.system_recovery}[128]
256 Bytes             256           ${CRITERIA.system_recovery}[256]
512 Bytes             512           ${CRITERIA.system_recovery}[512]
1024 Bytes            1024          ${CRITERIA.system_recovery}[1024]
1280 Bytes            1280          ${CRITERIA.system_recovery}[1280]
1518 Bytes            1518          ${CRITERIA.system_recovery}[1518]


*** Keywords ***
Recovery Takes At Most
    [Documentation]    Searches the throughput, overloads the device, and compares the time of the last loss.
    [Arguments]    ${frame_size}    ${at_most}
    Create Test Streams    ${frame_size}
    ${result} =    Measure System Recovery
    Verify System Recovery Below    ${at_most}    ${result}
