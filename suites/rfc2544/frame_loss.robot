*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.3: the part of the frames that the device loses, from full line rate downwards
...                 until two successive trials lose nothing. The bound holds up to a load that the criteria name,
...                 which is tried in any case.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           frame-loss    layer-${CRITERIA.layer}
Test Template       Frame Loss Is At Most


*** Test Cases ***    FRAME SIZE    AT MOST                              UP TO A LOAD OF
64 Bytes              64            ${CRITERIA.frame_loss}[64][loss]      ${CRITERIA.frame_loss}[64][load]
128 Bytes             128           ${CRITERIA.frame_loss}[128][loss]     ${CRITERIA.frame_loss}[128][load]
256 Bytes             256           ${CRITERIA.frame_loss}[256][loss]     ${CRITERIA.frame_loss}[256][load]
512 Bytes             512           ${CRITERIA.frame_loss}[512][loss]     ${CRITERIA.frame_loss}[512][load]
1024 Bytes            1024          ${CRITERIA.frame_loss}[1024][loss]    ${CRITERIA.frame_loss}[1024][load]
1280 Bytes            1280          ${CRITERIA.frame_loss}[1280][loss]    ${CRITERIA.frame_loss}[1280][load]
1518 Bytes            1518          ${CRITERIA.frame_loss}[1518][loss]    ${CRITERIA.frame_loss}[1518][load]


*** Keywords ***
Frame Loss Is At Most
    [Documentation]    Measures the loss at each load, and compares the worst one up to a load.
    [Arguments]    ${frame_size}    ${at_most}    ${load}
    Create Test Streams    ${frame_size}
    ${result} =    Sweep Frame Loss    step=${PROFILE.frame_loss.step}    at=${load}
    Verify Loss Below    ${at_most}    ${result}    at=${load}
