#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tessera/plan_picture.hpp"

namespace tessera {
namespace {

constexpr double kWidth = 1200;
constexpr double kHeight = 640;
constexpr double kLeft = 90;
constexpr double kTop = 48;
constexpr double kBottom = 60;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

class Picture {
 public:
  Picture(const AllocationProblem& problem, const Allocation& allocation,
          const std::vector<std::string>& steps)
      : problem_(problem), allocation_(allocation), steps_(steps) {
    for (const Buffer& buffer : problem.buffers) {
      times_.push_back(buffer.lower);
      times_.push_back(buffer.upper);
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    // Times of other tools are labels: only their order counts.
    dense_ = !steps.empty();
    span_ = times_.empty() ? 1.0
                           : static_cast<double>(dense_ ? times_.back() - times_.front()
                                                        : static_cast<std::int64_t>(times_.size()));
    span_ = std::max(span_, 1.0);
  }

  std::string draw(const std::string& title) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<defs><pattern id=\"shared\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
        "stroke=\"#000\" stroke-width=\"2\"/></pattern></defs>\n"
        "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n"
        "<text x=\"{2:.0f}\" y=\"20\" font-size=\"15\">{3}</text>\n"
        "<text x=\"{2:.0f}\" y=\"38\">{4} bytes, at least {5}{6}; hatched: in place</text>\n",
        kWidth, kHeight, kLeft, escaped(title), allocation_.height, allocation_.lower_bound,
        allocation_.is_optimal() ? " (optimal)" : "");
    axes();
    for (std::size_t b = 0; b < problem_.buffers.size(); ++b) {
      buffer(b);
    }
    for (const Overlap& overlap : problem_.overlaps) {
      shared(overlap.below, overlap.above);
    }
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(std::int64_t time) const {
    const double at =
        dense_ ? static_cast<double>(time - times_.front())
               : static_cast<double>(std::distance(
                     times_.begin(), std::lower_bound(times_.begin(), times_.end(), time)));
    return kLeft + at / span_ * (kWidth - kLeft - 20);
  }
  [[nodiscard]] double y(std::uint64_t offset) const {
    const double whole = static_cast<double>(std::max<std::uint64_t>(allocation_.height, 1));
    return kHeight - kBottom - static_cast<double>(offset) / whole * (kHeight - kTop - kBottom);
  }

  void axes() {
    constexpr int kMarks = 8;
    for (int i = 0; i <= kMarks; ++i) {
      const std::uint64_t offset = allocation_.height * static_cast<std::uint64_t>(i) / kMarks;
      out_ += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          kLeft, y(offset), kWidth - 20, y(offset), kLeft - 6, y(offset) + 4, offset);
    }
    const std::size_t every = std::max<std::size_t>(1, (steps_.size() + 39) / 40);
    for (std::size_t i = 0; i < steps_.size(); i += every) {
      const double at = (x(static_cast<std::int64_t>(i)) + x(static_cast<std::int64_t>(i) + 1)) / 2;
      out_ += fmt::format(
          "<text transform=\"translate({:.1f} {:.1f}) rotate(-40)\" text-anchor=\"end\" "
          "font-size=\"9\">{}</text>\n",
          at, kHeight - kBottom + 12, escaped(steps_[i].substr(0, 14)));
    }
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">time</text>\n", kWidth - 50, kHeight - 8);
  }

  void rectangle(std::int64_t lower, std::int64_t upper, std::uint64_t begin, std::uint64_t end,
                 const std::string& fill, const std::string& name) {
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
        "stroke=\"#333\" stroke-width=\"0.5\"><title>{}</title></rect>\n",
        x(lower), y(end), x(upper) - x(lower), y(begin) - y(end), fill, escaped(name));
  }

  void buffer(std::size_t b) {
    const Buffer& buffer = problem_.buffers[b];
    const std::uint64_t begin = allocation_.offsets[b];
    const std::uint64_t end = begin + buffer.size;
    // Neighbours get hues far apart.
    const std::string fill = fmt::format("hsl({} 55% 72% / 0.8)", b * 137 % 360);
    rectangle(buffer.lower, buffer.upper, begin, end, fill,
              fmt::format("{}: {} bytes at {}, time {} to {}", buffer.id, buffer.size, begin,
                          buffer.lower, buffer.upper));
    const double width = x(buffer.upper) - x(buffer.lower);
    const auto room = static_cast<std::size_t>(std::max(0.0, width / 7));
    if (room >= 2 && y(begin) - y(end) >= 12) {
      out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" pointer-events=\"none\">{}</text>\n",
                          x(buffer.lower) + 3, (y(begin) + y(end)) / 2 + 4,
                          escaped(buffer.id.substr(0, room)));
    }
  }

  void shared(std::size_t a, std::size_t b) {
    const Buffer& first = problem_.buffers[a];
    const Buffer& second = problem_.buffers[b];
    const std::uint64_t begin = std::max(allocation_.offsets[a], allocation_.offsets[b]);
    const std::uint64_t end =
        std::min(allocation_.offsets[a] + first.size, allocation_.offsets[b] + second.size);
    const std::int64_t lower = std::max(first.lower, second.lower);
    const std::int64_t upper = std::min(first.upper, second.upper);
    if (begin < end && lower < upper) {
      rectangle(lower, upper, begin, end, "url(#shared)",
                fmt::format("{} and {} share {} bytes", first.id, second.id, end - begin));
    }
  }

  const AllocationProblem& problem_;
  const Allocation& allocation_;
  const std::vector<std::string>& steps_;
  std::vector<std::int64_t> times_;
  bool dense_ = false;
  double span_ = 1;
  std::string out_;
};

}  // namespace

std::string plan_svg(const AllocationProblem& problem, const Allocation& allocation,
                     const std::vector<std::string>& steps, const std::string& title) {
  return Picture(problem, allocation, steps).draw(title);
}

}  // namespace tessera
