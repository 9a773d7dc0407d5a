// A control for one of several tasks that run at the same time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/control.hpp"
#include "base/late_start.hpp"

namespace bayesloom {

/// For one of several tasks that run at the same time on account of another control: stops when that does, or
/// at a work limit of its own. Its work is reported by whoever has shared it out, when all tasks are done, so
/// that where the other control's limit falls does not depend on who was faster.
class Share final : public Control {
 public:
  Share(Control& whole, std::uint64_t most_work) : Share(whole, most_work, LateStart::since) {}

 protected:
  void on_poll() override {
    if (whole_.should_stop(0)) cancel();
  }

 private:
  Share(Control& whole, std::uint64_t most_work, double since)
      : Control({std::nullopt, most_work}), whole_(whole) {
    LateStart::since = since;  // it is a part of a kernel, not the beginning of one
  }

  Control& whole_;
};

}  // namespace bayesloom
