// Estimates against the designs that were made, each estimated from all the others.
#include "fpga/parts/estimate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fpga/parts/least_squares.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tests/files.hpp"
#include "tests/results.hpp"

namespace tessera::fpga {
namespace {

struct Errors {
  double mean = 0;   ///< percent, of their sizes
  double worst = 0;  ///< percent
};

Errors errors_of(const std::string& family, const std::function<double(const Estimate&)>& figure) {
  const std::vector<CountedDesign> all = area_dataset(family);
  Errors errors;
  double count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double made = figure(all[i].made);
    if (made <= 0) {
      continue;
    }
    std::vector<CountedDesign> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Estimate estimate = AreaModel(family, others).estimate(all[i].hardware, all[i].logic);
    const double error = 100 * std::abs(figure(estimate) / made - 1);
    errors.mean += error;
    errors.worst = std::max(errors.worst, error);
    ++count;
  }
  errors.mean /= count;
  return errors;
}

struct EstimatedFamily {
  const char* name;
  const char* title;
};
void PrintTo(const EstimatedFamily& family, std::ostream* out) {
  *out << family.title;
}

class Estimates : public testing::TestWithParam<EstimatedFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, Estimates,
                         testing::Values(EstimatedFamily{"ecp5", "ECP5"},
                                         EstimatedFamily{"gowin", "Gowin"},
                                         EstimatedFamily{"ice40", "iCE40"}),
                         [](const auto& family) { return std::string(family.param.title); });

TEST_P(Estimates, MemoriesAndMultipliersAreExact) {
  const std::vector<CountedDesign> all = area_dataset(GetParam().name);
  const AreaModel model(GetParam().name, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Estimate estimate = model.estimate(all[i].hardware, all[i].logic);
    EXPECT_EQ(estimate.brams, all[i].made.brams) << "design " << i;
    EXPECT_EQ(estimate.dsps, all[i].made.dsps) << "design " << i;
  }
}

// docs/results says how far they are off: every figure of it is a fact of the data.
TEST_P(Estimates, AreAsFarOffAsThePageSays) {
  const std::string family = GetParam().name;
  std::size_t placed = 0;
  for (const CountedDesign& design : area_dataset(family)) {
    placed += design.made.mhz > 0 ? 1 : 0;
  }
  const Errors luts = errors_of(family, [](const Estimate& e) { return e.luts; });
  const Errors ffs = errors_of(family, [](const Estimate& e) { return e.ffs; });
  const Errors mhz = errors_of(family, [](const Estimate& e) { return e.mhz; });
  const auto off = [](const Errors& errors) {
    return fmt::format("{:.1f} % ({:.1f} %)", errors.mean, errors.worst);
  };
  test::expect_row("silicon", "estimates",
                   {{"family", GetParam().title},
                    {"designs", area_dataset(family).size()},
                    {"lookup tables", off(luts)},
                    {"flip-flops", off(ffs)},
                    {"placed", placed},
                    {"clock", off(mhz)}});
  EXPECT_LT(luts.mean, 7);
  EXPECT_LT(mhz.mean, 15);
}

// `medium` is none of the designs: its count is the table's alone.
TEST(Area, OfPresetsIsAsTheTableSays) {
  const auto data =
      nlohmann::json::parse(test::text_of(TESSERA_SOURCE_DIR "/configs/area/ecp5.json"));
  std::map<std::string, std::uint32_t> counted;
  for (const nlohmann::json& design : data.at("designs")) {
    counted[design.at("parameters").at("name")] = design.at("luts");
  }
  ASSERT_EQ(counted.count("small"), 1U);
  std::size_t rows = 0;
  const nlohmann::json table = test::results_table("silicon", "presets");
  for (const nlohmann::json& row : table.at("rows")) {
    nlohmann::json values = row.at("values");
    const std::string name = values.at("preset");
    values["lookup tables, estimated"] =
        estimate(find_part("ecp5-85f"), hardware_preset(name)).luts;
    if (counted.count(name) == 1) {
      values["counted"] = counted.at(name);
    }
    test::expect_row("silicon", "presets", values);
    ++rows;
  }
  EXPECT_EQ(rows, 4U);
}

// 756 of them with 43 multipliers of logic, as counted; without that term less than none.
TEST(Area, ZeroPointsOfWeightsCostLookupTables) {
  const Part& part = find_part("ecp5-25f");
  Hardware hardware = hardware_preset("small");
  const std::uint32_t with = estimate(part, hardware).luts;
  hardware.features &= ~(1U << static_cast<unsigned>(isa::Feature::ZeroPoints));
  EXPECT_GT(with, estimate(part, hardware).luts + 300);
}

TEST(Clock, LargerDesignsAreSlower) {
  const Part& part = find_part("ecp5-85f");
  const double nano = estimate(part, hardware_preset("nano")).mhz;
  const double tiny = estimate(part, hardware_preset("tiny")).mhz;
  const double small = estimate(part, hardware_preset("small")).mhz;
  EXPECT_GT(nano, tiny);
  // Placed and routed it is 1.17.
  EXPECT_GT(tiny, 1.1 * small);
}

TEST(LeastSquares, FindsTheCoefficientsOfExactSums) {
  std::vector<Observation> observations;
  for (int i = 1; i < 12; ++i) {
    const double x = i;
    const double y = i * i % 7;
    observations.push_back({{1, x, y}, 10 + 3 * x + 2 * y});
  }
  const std::vector<double> found = least_squares(observations);
  for (const Observation& o : observations) {
    EXPECT_NEAR(weighted_sum(o.terms, found) / o.value, 1, 0.01);
  }
}

}  // namespace
}  // namespace tessera::fpga
