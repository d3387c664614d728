*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 9971: the non-drop rate (NDR) and the partial-drop rate (PDR) in one search. Each is the
...                 conditional throughput of its goal.
Name                NDR And PDR
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           ndr-pdr    layer-${CRITERIA.layer}
Test Template       NDR And PDR Are At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.mlrsearch}[64]
128 Bytes             128           ${CRITERIA.mlrsearch}[128]
256 Bytes             256           ${CRITERIA.mlrsearch}[256]
512 Bytes             512           ${CRITERIA.mlrsearch}[512]
1024 Bytes            1024          ${CRITERIA.mlrsearch}[1024]
1280 Bytes            1280          ${CRITERIA.mlrsearch}[1280]
1518 Bytes            1518          ${CRITERIA.mlrsearch}[1518]


*** Keywords ***
NDR And PDR Are At Least
    [Documentation]    Searches both and compares them.
    [Arguments]    ${frame_size}    ${at_least}
    Create Stream    north    tx=p1    rx=p2    frame_size=${frame_size}
    ${result} =    Find NDR And PDR    north
    Verify Goal Above    NDR    ${at_least}[ndr]    ${result}
    Verify Goal Above    PDR    ${at_least}[pdr]    ${result}
