// What the host does counts in sweeps.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sweep/analysis.hpp"
#include "sweep/point.hpp"
#include "tests/files.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;

// An array of few channels has no window for tall kernels.
TEST(SweepHost, ADesignThatLeavesMoreToTheHostIsNoFasterForIt) {
  const fs::path dir = fs::temp_directory_path() / fmt::format("tessera_host_{}", ::getpid());
  fs::create_directories(dir);
  test::write_text(dir / "n.yaml",
                   "layers:\n  - conv2d: {in: [16, 16, 8], out_channels: 32, kernel: 1}\n"
                   "  - depthwise_conv2d: {kernel: [17, 3], padding: same}\n"
                   "  - conv2d: {out_channels: 32, kernel: 1}\n");
  test::write_text(dir / "npu.yaml",
                   "hardware: {array: {atomic_c: 16, atomic_k: 16}, cbuf: {size: 64 KiB, capacity: "
                   "64 KiB, banks: 8}, accumulators: 512, bus_bytes: 8}\nnetwork: n.yaml\n"
                   "engine: model\n");
  const auto cycles_of = [&](const std::string& host) {
    SpaceRequest request;
    request.config = (dir / "npu.yaml").string();
    request.cbuf = "64KiB";
    request.sets = {"hardware.array.atomic_c=16,4"};
    request.fixed = {"host=" + host};
    const Space space = make_space(request);
    PointRunner runner(space);
    std::vector<PointResult> points;
    for (std::size_t i = 0; i < space.points(); ++i) {
      points.push_back(runner.run(i));
      EXPECT_EQ(points.back().status, Status::Ok) << points.back().error;
    }
    return points;
  };
  const auto without = cycles_of("none");
  const auto with = cycles_of("microcontroller");
  ASSERT_EQ(without.size(), 2U);
  EXPECT_LT(without[1].cycles, without[0].cycles) << "a quarter of the array, and faster";
  EXPECT_EQ(without[1].host_cycles, 0U);
  EXPECT_GT(with[1].cycles, 10 * with[0].cycles);
  EXPECT_EQ(with[1].cycles, without[1].cycles + with[1].host_cycles);
  EXPECT_EQ(with[0].cycles, without[0].cycles);
  const Results results = evaluate(make_space([&] {
                                     SpaceRequest request;
                                     request.config = (dir / "npu.yaml").string();
                                     request.cbuf = "64KiB";
                                     request.sets = {"hardware.array.atomic_c=16,4"};
                                     return request;
                                   }()),
                                   with);
  EXPECT_EQ(results.competes, (std::vector<bool>{true, true}));
  EXPECT_EQ(evaluate(results.space, without).competes, (std::vector<bool>{true, false}));
  EXPECT_EQ(results.points[1].layers[1].mode, "host");
  EXPECT_EQ(results.points[1].layers[1].cycles, with[1].host_cycles);
  fs::remove_all(dir);
}

}  // namespace
}  // namespace tessera::sweep
