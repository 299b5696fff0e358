#include "input/field_log.hpp"

#include <algorithm>

namespace tessera {
namespace {

thread_local FieldLog* alive = nullptr;

}  // namespace

FieldLog::FieldLog() : outer_(alive) {
  alive = this;
}

FieldLog::~FieldLog() {
  alive = outer_;
}

FieldLog* FieldLog::current() {
  return alive;
}

void FieldLog::note(FieldRule rule) {
  const auto same = std::find_if(rules_.begin(), rules_.end(), [&](const FieldRule& other) {
    return other.map == rule.map && other.key == rule.key;
  });
  if (same == rules_.end()) {
    rules_.push_back(std::move(rule));
  } else if (same->type.empty() && !rule.type.empty()) {
    rule.is_needed = same->is_needed;
    *same = std::move(rule);
  }
}

}  // namespace tessera
