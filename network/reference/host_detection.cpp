// What detectors end with: boxes decoded at their anchors, the ones that overlap a better one
// removed.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

struct Box {
  float top, left, bottom, right;
};

struct Detection {
  std::size_t anchor;
  std::int32_t label;
  float score;
};

float area(const Box& box) {
  return (box.bottom - box.top) * (box.right - box.left);
}

float overlap(const Box& a, const Box& b) {
  if (area(a) <= 0 || area(b) <= 0) {
    return 0;
  }
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0F);
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0F);
  const float both = height * width;
  return both / (area(a) + area(b) - both);
}

class Detector {
 public:
  Detector(const HostOperator& host, const Operands& x) : host_(host), x_(x) {
    decode();
    const bool each_class = host.integers[3] != 0;
    each_class ? by_class() : by_anchor();
  }

  void write() const {
    const auto per_box = static_cast<std::size_t>(host_.integers[2]);
    const bool each_class = host_.integers[3] != 0;
    std::fill_n(x_.output_data, x_.output().bytes(), std::uint8_t{0});
    if (host_.integers[0] == 3) {
      const std::size_t boxes = found_.size() / (each_class ? std::size_t{1} : per_box);
      put(x_.output_data, 0, static_cast<float>(boxes));
      return;
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const Box& box = boxes_[found_[i].anchor];
      switch (host_.integers[0]) {
        case 0:
          put(x_.output_data, at * 4, box.top);
          put(x_.output_data, at * 4 + 1, box.left);
          put(x_.output_data, at * 4 + 2, box.bottom);
          put(x_.output_data, at * 4 + 3, box.right);
          break;
        case 1:
          put(x_.output_data, at, static_cast<float>(found_[i].label));
          break;
        default:
          put(x_.output_data, at, found_[i].score);
      }
    }
  }

 private:
  [[nodiscard]] float real(std::size_t input, std::int64_t i) const {
    const Tensor& tensor = x_.input(input);
    if (tensor.type == DataType::Float32) {
      return get<float>(x_.inputs[input], i);
    }
    return tensor.quantisation.scales[0] *
           static_cast<float>(get<std::int8_t>(x_.inputs[input], i) -
                              tensor.quantisation.zero_point);
  }
  [[nodiscard]] std::int64_t anchors() const { return x_.input(0).shape[1]; }
  [[nodiscard]] std::int32_t classes() const { return host_.integers[5]; }
  // The first class may be the background.
  [[nodiscard]] float score(std::int64_t anchor, std::int32_t label) const {
    const std::int32_t all = x_.input(1).shape[2];
    return real(1, anchor * all + all - classes() + label);
  }

  void decode() {
    const std::int64_t values = x_.input(0).shape[2];
    // Their scales follow the two thresholds: y, x, height, width.
    for (std::int64_t a = 0; a < anchors(); ++a) {
      const auto code = [&](std::int64_t i) {
        return static_cast<double>(real(0, a * values + i)) /
               static_cast<double>(host_.numbers[static_cast<std::size_t>(i) + 2]);
      };
      const auto anchor = [&](std::int64_t i) { return static_cast<double>(real(2, a * 4 + i)); };
      const auto y = static_cast<float>(code(0) * anchor(2) + anchor(0));
      const auto col = static_cast<float>(code(1) * anchor(3) + anchor(1));
      const auto half_h = static_cast<float>(0.5 * std::exp(code(2)) * anchor(2));
      const auto half_w = static_cast<float>(0.5 * std::exp(code(3)) * anchor(3));
      boxes_.push_back({y - half_h, col - half_w, y + half_h, col + half_w});
    }
  }

  // Indices of the best, each of which keeps off what overlaps it.
  [[nodiscard]] std::vector<std::size_t> suppressed(const std::vector<float>& scores,
                                                    std::int32_t most) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] >= host_.numbers[0]) {
        order.push_back(i);
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<bool> gone(order.size(), false);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < order.size() && chosen.size() < static_cast<std::size_t>(most);
         ++i) {
      if (gone[i]) {
        continue;
      }
      chosen.push_back(order[i]);
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        gone[j] = gone[j] || overlap(boxes_[order[i]], boxes_[order[j]]) > host_.numbers[1];
      }
    }
    return chosen;
  }

  // Each anchor stands for its best classes.
  void by_anchor() {
    const auto per_box = static_cast<std::size_t>(host_.integers[2]);
    std::vector<std::vector<std::int32_t>> best;
    std::vector<float> greatest;
    for (std::int64_t a = 0; a < anchors(); ++a) {
      std::vector<std::int32_t> labels(static_cast<std::size_t>(classes()));
      std::iota(labels.begin(), labels.end(), 0);
      std::stable_sort(labels.begin(), labels.end(),
                       [&](std::int32_t p, std::int32_t q) { return score(a, p) > score(a, q); });
      labels.resize(per_box);
      greatest.push_back(score(a, labels[0]));
      best.push_back(std::move(labels));
    }
    for (const std::size_t anchor : suppressed(greatest, host_.integers[1])) {
      for (const std::int32_t label : best[anchor]) {
        found_.push_back({anchor, label, score(static_cast<std::int64_t>(anchor), label)});
      }
    }
  }

  // Each class by itself, then the best of all.
  void by_class() {
    for (std::int32_t label = 0; label < classes(); ++label) {
      std::vector<float> scores;
      scores.reserve(static_cast<std::size_t>(anchors()));
      for (std::int64_t a = 0; a < anchors(); ++a) {
        scores.push_back(score(a, label));
      }
      for (const std::size_t anchor : suppressed(scores, host_.integers[4])) {
        found_.push_back({anchor, label, scores[anchor]});
      }
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    found_.resize(std::min(found_.size(), static_cast<std::size_t>(host_.integers[1])));
  }

  const HostOperator& host_;
  const Operands& x_;
  std::vector<Box> boxes_;
  std::vector<Detection> found_;
};

}  // namespace

void host_detections(const HostOperator& host, const Operands& x) {
  Detector(host, x).write();
}

}  // namespace tessera::reference
