#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/case.hpp"

namespace assay::testing {

/// A case whose steps are given by a test.
struct FakeSteps {
  std::function<void(Context&)> make = [](Context&) {};
  std::function<void(Context&)> run = [](Context&) {};
  std::function<Check(Context&)> verify = [](Context&) { return Check{1, 0, ""}; };
  std::function<void(std::span<double>)> device_seconds = {};
  std::string method = {};
  Work work{WorkKind::bytes, 100, Direction::one_way, 1};
};

class FakeCase final : public Case {
 public:
  FakeCase(Context& context, const FakeSteps& steps) : context_(context), steps_(steps) { steps_.make(context_); }
  void run() override { steps_.run(context_); }
  Check verify() override { return steps_.verify(context_); }
  bool corrupt() override { return false; }
  void device_seconds(std::span<double> out) override {
    if (steps_.device_seconds) steps_.device_seconds(out);
  }
  [[nodiscard]] std::string method() const override { return steps_.method; }
  [[nodiscard]] Work work() const override { return steps_.work; }

 private:
  Context& context_;
  const FakeSteps& steps_;
};

/// `steps` has to outlive the info.
inline CaseInfo fake_info(const FakeSteps& steps) {
  CaseInfo info;
  info.name = "fake.case";
  info.summary = "for tests";
  info.axes = [](const Layout&) { return std::vector<Axis>{{"bytes", {{"8"}, {"64", Suite::standard}}}}; };
  info.make = [&steps](Context& context, const Point&) { return std::make_unique<FakeCase>(context, steps); };
  return info;
}

}  // namespace assay::testing
