// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// All actions, numbered. The build lists the files actions/NAME_action.h
// (engine/sources.py); each has a struct NameAction:
//
//   kCase<v1::Action>        its case in protocol.proto
//   Compile(message, scope)  an Action of its message; `scope` is that of
//   plan/protocol/compile_actions.cc Do(step)                 does it; `step` is one of runner.cc,
//   or of compiled_rows.h, where the action is known kFollowing               events that it may
//   raise once its row is done, where it may
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "listed_actions.h"
#include "responder/machine/row.h"

namespace tester::machine {

inline constexpr size_t kActionKinds = std::tuple_size_v<ListedActions>;

template <ActionKind kKind>
using ActionOf = std::tuple_element_t<static_cast<size_t>(kKind), ListedActions>;

// `visit.template operator()<NameAction, kind>()` for each; until one says true.
template <typename Visit>
constexpr bool AnyAction(Visit visit) {
  return [&visit]<size_t... i>(std::index_sequence<i...>) {
    return (visit.template operator()<std::tuple_element_t<i, ListedActions>, ActionKind{i}>() ||
            ...);
  }
  (std::make_index_sequence<kActionKinds>{});
}

// The number of an action.
template <typename Action>
constexpr ActionKind KindOfAction() {
  ActionKind found{};
  AnyAction([&found]<typename Other, ActionKind kKind>() {
    if constexpr (std::is_same_v<Action, Other>) found = kKind;
    return std::is_same_v<Action, Other>;
  });
  return found;
}

// Events that an action of this kind may raise once its row is done.
constexpr uint32_t FollowingOf(ActionKind kind) {
  uint32_t following = 0;
  AnyAction([&following, kind]<typename Each, ActionKind kKind>() {
    if constexpr (requires { Each::kFollowing; }) {
      if (kKind == kind) following = Each::kFollowing;
    }
    return kKind == kind;
  });
  return following;
}

// Does an action that is known only when it runs.
template <typename Step>
void DoAction(const Step& step) {
  using Doing = void (*)(const Step& step);
  static constexpr auto kDoing = []<size_t... i>(std::index_sequence<i...>) {
    return std::array<Doing, kActionKinds>{
        [](const Step& each) { std::tuple_element_t<i, ListedActions>::Do(each); }...};
  }
  (std::make_index_sequence<kActionKinds>{});
  kDoing[static_cast<size_t>(step.action().kind)](step);
}

}  // namespace tester::machine
