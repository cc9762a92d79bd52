#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace assay {

/// A set of ranks that work together. All operations are collective over the group and block.
/// Implementations: MpiGroup (collectives/mpi), ThreadGroup (core, for tests), SoloGroup (one rank).
class Group {
 public:
  virtual ~Group() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  virtual void barrier() = 0;
  /// A barrier that sleeps between polls (about 0.1 ms), so that waiting ranks leave the cores to working ones.
  virtual void quiet_barrier() = 0;

  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  virtual void max_in_place(std::span<double> values) = 0;
  virtual void min_in_place(std::span<double> values) = 0;
  virtual void sum_in_place(std::span<double> values) = 0;

  /// Every rank's bytes, in rank order, on root; empty elsewhere. Lengths may differ.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) = 0;

  /// A group of the ranks that gave the same colour, ordered by rank; nullptr for a negative colour.
  [[nodiscard]] virtual std::unique_ptr<Group> split(int color) = 0;
};

/// The group of one.
class SoloGroup final : public Group {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void barrier() override {}
  void quiet_barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void max_in_place(std::span<double>) override {}
  void min_in_place(std::span<double>) override {}
  void sum_in_place(std::span<double>) override {}
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int) override {
    return {{mine.begin(), mine.end()}};
  }
  [[nodiscard]] std::unique_ptr<Group> split(int color) override {
    return color < 0 ? nullptr : std::make_unique<SoloGroup>();
  }
};

template <class T>
requires std::is_trivially_copyable_v<T>
void broadcast_value(Group& group, T& value, int root = 0) {
  group.broadcast(std::as_writable_bytes(std::span<T>(&value, 1)), root);
}

/// Text of any length from root to all.
[[nodiscard]] std::string broadcast_text(Group& group, std::string text, int root = 0);

/// Every rank's text on root, in rank order; empty elsewhere.
[[nodiscard]] std::vector<std::string> gather_texts(Group& group, const std::string& mine, int root = 0);

/// Every rank's text on every rank, in rank order.
[[nodiscard]] std::vector<std::string> all_gather_texts(Group& group, const std::string& mine);

[[nodiscard]] double max_over(Group& group, double value);
[[nodiscard]] double sum_over(Group& group, double value);

/// Every rank's vector on root, in rank order; empty elsewhere. Lengths may differ.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<std::vector<T>> gather_values(Group& group, std::span<const T> mine, int root = 0) {
  std::vector<std::vector<T>> result;
  for (const auto& bytes : group.gather(std::as_bytes(mine), root)) {
    const auto* first = reinterpret_cast<const T*>(bytes.data());
    result.emplace_back(first, first + bytes.size() / sizeof(T));
  }
  return result;
}

}  // namespace assay
