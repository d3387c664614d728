*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 2889 section 5.5: a congested port costs no frame to another one.

Resource          ../../resources/rfc2889.resource

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     No Head Of Line Blocking

Test Tags         congestion    layer-${CRITERIA.layer}

Name              Congestion Control


*** Test Cases ***    FRAME SIZE
64 Bytes    64
128 Bytes    128
256 Bytes    256
512 Bytes    512
1024 Bytes    1024
1280 Bytes    1280
1518 Bytes    1518


*** Keywords ***
No Head Of Line Blocking
    [Documentation]    Offers 150 % to the fourth port, and half of that which the first one sends to the third.
    [Arguments]    ${frame_size}
    ${senders} =    Evaluate    $PORTS[:2]
    ${result} =    Measure Congestion
    ...    senders=${senders}
    ...    uncongested=${PORTS}[2]
    ...    congested=${PORTS}[3]
    ...    frame_size=${frame_size}
    Verify No Head Of Line Blocking    ${result}
