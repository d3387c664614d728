*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.6 with RFC 6201: how long the device forwards nothing because it was reset, at
...                 its throughput of the shortest frames, or at the part of it that the profile asks for. The testbed
...                 has the hooks: `dut.reset` in its file.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           reset    layer-${CRITERIA.layer}
Test Template       Reset Takes At Most


*** Test Cases ***    KIND          AT MOST
Software Reset        SOFTWARE      ${CRITERIA.reset}[software]
Hardware Reset        HARDWARE      ${CRITERIA.reset}[hardware]
Power Interruption    POWER         ${CRITERIA.reset}[power]


*** Keywords ***
Reset Takes At Most
    [Documentation]    Resets the device by the hook of its testbed, and compares the time without a frame.
    [Arguments]    ${kind}    ${at_most}
    Create Test Streams    64
    ${result} =    Measure Reset Time    kind=${kind}
    Verify Reset Time Below    ${at_most}    ${result}
