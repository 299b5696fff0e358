// A queue of bounded length without allocation.
#pragma once

#include <array>
#include <cstddef>

namespace tessera::timing {

template <class T, std::size_t N>
class Ring {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& front() { return entries_[first_]; }
  [[nodiscard]] const T& front() const { return entries_[first_]; }
  /// Oldest first.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t i = 0; i < size_; ++i) {
      visit(entries_[place(i)]);
    }
  }
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < size_; ++i) {
      visit(entries_[place(i)]);
    }
  }
  void push_back(const T& value) { entries_[place(size_++)] = value; }
  void pop_front() {
    first_ = first_ + 1 < N ? first_ + 1 : 0;
    --size_;
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return first_ + i < N ? first_ + i : first_ + i - N;
  }

  std::array<T, N> entries_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tessera::timing
