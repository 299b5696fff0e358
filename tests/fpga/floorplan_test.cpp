// Where multipliers are put before the placer runs.
#include "fpga/floorplan.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tessera/config.hpp"

namespace tessera::fpga {
namespace {

struct At {
  int x = 0, y = 0, z = 0;
};

At at(const std::string& site) {
  std::smatch found;
  if (!std::regex_match(site, found, std::regex(R"(X(\d+)/Y(\d+)/MULT18_(\d+))"))) {
    ADD_FAILURE() << site;
    return {};
  }
  return {std::stoi(found[1]), std::stoi(found[2]), std::stoi(found[3])};
}

// nextpnr refuses a site that is none: the tests that place find that out. Here: as many as parts
// have.
TEST(Floorplan, HasAllMultipliersOfAPart) {
  for (const Part& part : parts()) {
    if (part.multipliers.rows.empty()) {
      EXPECT_TRUE(multiplier_sites(part, 1).empty()) << part.name;
      continue;
    }
    const std::vector<std::string> all = multiplier_sites(part, part.dsps);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), part.dsps) << part.name;
    EXPECT_TRUE(multiplier_sites(part, part.dsps + 1).empty()) << part.name;
    EXPECT_TRUE(multiplier_sites(part, 0).empty()) << part.name;
  }
}

TEST(Floorplan, EachMultiplierIsBesideTheOneBefore) {
  constexpr int kNextColumn = 6;  // over the clock spine
  for (const Part& part : parts()) {
    for (std::size_t count = 2; !part.multipliers.rows.empty() && count <= part.dsps; ++count) {
      const std::vector<std::string> sites = multiplier_sites(part, count, 1 + count % 13);
      ASSERT_EQ(sites.size(), count);
      EXPECT_EQ(std::set<std::string>(sites.begin(), sites.end()).size(), count);
      std::set<int> rows = {at(sites[0]).y};
      for (std::size_t i = 1; i < count; ++i) {
        const At one = at(sites[i - 1]);
        const At next = at(sites[i]);
        if (one.y == next.y) {
          EXPECT_GT(next.x, one.x) << part.name << " " << count;
          EXPECT_LE(next.x - one.x, kNextColumn) << part.name << " " << count;
        } else {
          EXPECT_TRUE(rows.insert(next.y).second) << part.name << " " << count;
        }
      }
    }
  }
}

TEST(Floorplan, FewMultipliersTakeNoMoreThanTheyNeed) {
  const Part& part = find_part("ecp5-85f");
  const auto rows = [&](std::size_t count) {
    std::set<int> found;
    for (const std::string& site : multiplier_sites(part, count)) {
      found.insert(at(site).y);
    }
    return found;
  };
  EXPECT_EQ(rows(9), (std::set<int>{34}));       // the middle one
  EXPECT_EQ(rows(22), (std::set<int>{34, 58}));  // 24 rows for 24 columns less
  EXPECT_EQ(rows(105), (std::set<int>{10, 34, 58}));
}

TEST(Floorplan, TheMiddleRowComesFirstAndTheLastOneHasItsOwnInItsMiddle) {
  const std::vector<std::string> sites = multiplier_sites(find_part("ecp5-85f"), 105, 13);
  EXPECT_EQ(at(sites[0]).y, 34);
  EXPECT_EQ(at(sites[39]).y, 58);
  EXPECT_EQ(at(sites[78]).y, 10);
  EXPECT_EQ(at(sites[39]).x, at(sites[0]).x);
  EXPECT_EQ(at(sites[78]).x, at(sites[6]).x);  // 27 of 39: six columns on each side
  EXPECT_EQ(at(sites[104]).x, at(sites[32]).x);
}

// A kernel of eight channels and the lane behind it take thirteen.
TEST(Floorplan, RowsEndBehindWholeKernels) {
  const std::vector<std::string> sites = multiplier_sites(find_part("ecp5-85f"), 105, 13);
  for (std::size_t i = 0; i < 104; ++i) {
    EXPECT_EQ(at(sites[i]).y, at(sites[i / 13 * 13]).y) << i;
  }
  EXPECT_NE(at(sites[0]).y, at(sites[39]).y);
  // More than a row is long, were they whole.
  EXPECT_EQ(multiplier_sites(find_part("ecp5-85f"), 150, 40).size(), 150U);
}

nlohmann::ordered_json design(const std::vector<std::string>& multipliers) {
  nlohmann::ordered_json top;
  top["cells"]["u_npu.u_compute.gen_kernels[0].q"] = {{"type", "TRELLIS_FF"},
                                                      {"attributes", {{"src", "a"}}}};
  for (const std::string& name : multipliers) {
    top["cells"][name] = {{"type", "MULT18X18D"}, {"attributes", {{"src", "b"}}}};
  }
  return top;
}

TEST(Floorplan, LanesLieBesideTheirKernels) {
  Hardware hardware = hardware_preset("tiny");
  hardware.atomic_k = 4;
  hardware.post_lanes = 2;
  const std::vector<std::string> wanted = {"gen_kernels[0].gen_products[2].m",
                                           "gen_kernels[0].gen_products[10].m",
                                           "gen_lanes[0].m",
                                           "gen_kernels[1].gen_products[0].m",
                                           "gen_kernels[2].gen_products[0].m",
                                           "gen_lanes[1].m",
                                           "gen_kernels[3].gen_products[0].m",
                                           "u_tile_pixels.m"};
  const std::vector<std::string> given = {wanted[7], wanted[3], wanted[6], wanted[1],
                                          wanted[5], wanted[2], wanted[4], wanted[0]};
  nlohmann::ordered_json top = design(given);
  const Part& part = find_part("ecp5-25f");
  EXPECT_EQ(multipliers_in_order(*part.family, hardware, top.at("cells")).names, wanted);
  EXPECT_EQ(multipliers_in_order(*part.family, hardware, top.at("cells")).together, 2U);

  const nlohmann::ordered_json before = top;
  place_multipliers(part, hardware, top);
  const std::vector<std::string> sites = multiplier_sites(part, wanted.size(), 2);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(top["cells"][wanted[i]]["attributes"]["BEL"], sites[i]);
    EXPECT_EQ(top["cells"][wanted[i]]["attributes"]["src"], "b");
    top["cells"][wanted[i]]["attributes"].erase("BEL");
  }
  EXPECT_EQ(top, before);
}

// What does not fit is the placer's to say.
TEST(Floorplan, MoreThanThereAreAreLeftToThePlacer) {
  const Part& part = find_part("ecp5-25f");
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i <= part.dsps; ++i) {
    names.push_back("m" + std::to_string(i));
  }
  nlohmann::ordered_json top = design(names);
  const nlohmann::ordered_json before = top;
  place_multipliers(part, hardware_preset("tiny"), top);
  EXPECT_EQ(top, before);
}

}  // namespace
}  // namespace tessera::fpga
