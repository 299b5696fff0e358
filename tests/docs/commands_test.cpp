// Commands that pages show outside of walk-throughs: their options and keys are there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "cli/command_line.hpp"
#include "tessera/config_keys.hpp"
#include "tests/files.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct Shown {
  std::string where;  ///< page and line
  std::vector<std::string> words;
};

// Lines of fenced blocks that run cosim, with their continuations; from "cosim" to the next shell
// operator or comment.
std::vector<Shown> commands_of(const fs::path& page) {
  std::vector<Shown> commands;
  bool inside = false;
  std::string line;
  std::size_t number = 0;
  for (const std::string& next : test::lines_of(test::text_of(page))) {
    ++number;
    if (next.rfind("```", 0) == 0) {
      inside = !inside;
      line.clear();
      continue;
    }
    line += next;
    if (inside && !line.empty() && line.back() == '\\') {
      line.back() = ' ';
      continue;
    }
    std::istringstream in(inside ? line : "");
    line.clear();
    std::string word;
    in >> word;
    while (word == "$" || word.find('=') != std::string::npos) {
      word.clear();
      in >> word;
    }
    if (fs::path(word).filename() != "cosim") {
      continue;
    }
    Shown shown{fmt::format("{}:{}", fs::path(page).filename().string(), number), {}};
    for (; in >> word && word[0] != '#' && word[0] != '|' && word[0] != '>' && word != "&&";) {
      shown.words.push_back(word);
    }
    commands.push_back(std::move(shown));
  }
  return commands;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found = {fs::path(TESSERA_SOURCE_DIR) / "README.md",
                                 fs::path(TESSERA_SOURCE_DIR) / "CONTRIBUTING.md"};
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "docs")) {
    const bool is_log = entry.path().parent_path().filename() == "log";  // what was, stays
    if (entry.path().extension() == ".md" && !is_log) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

const CLI::App* app_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    for (const CLI::App* inner : at->get_subcommands([](const CLI::App*) { return true; })) {
      if (inner->get_name() == word) {
        at = inner;
        break;
      }
    }
  }
  return at;
}

bool has_option(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw(name) != nullptr || name == "--help" || name == "--version";
}

// "traffic[0].seed" as "traffic[].seed"; a list's own name stands for it.
bool is_key(const std::set<std::string>& keys, std::string path) {
  const std::size_t bracket = path.find('[');
  if (bracket != std::string::npos) {
    path.replace(bracket, path.find(']') - bracket + 1, "[]");
  }
  return keys.count(path) == 1;
}

TEST(Pages, ShowCommandsThatThereAre) {
  const CommandLine line;
  std::set<std::string> keys;
  for (const ConfigKey& key : config_keys()) {
    keys.insert(key.path);
  }
  std::size_t options = 0;
  std::size_t sets = 0;
  for (const fs::path& page : pages()) {
    for (const Shown& shown : commands_of(page)) {
      const CLI::App* const app = app_of(line.definition(), shown.words);
      for (std::size_t i = 0; i < shown.words.size(); ++i) {
        const std::string name = shown.words[i].substr(0, shown.words[i].find('='));
        if (name.rfind("--", 0) != 0) {
          continue;
        }
        EXPECT_TRUE(has_option(*app, name)) << shown.where << ": " << name;
        ++options;
        if (name == "--set" && i + 1 < shown.words.size()) {
          std::string path = shown.words[i + 1];
          path.erase(std::remove_if(path.begin(), path.end(),
                                    [](char c) { return c == '\'' || c == '"'; }),
                     path.end());
          path = path.substr(0, path.find('='));
          EXPECT_TRUE(is_key(keys, path) || path == "...") << shown.where << ": --set " << path;
          ++sets;
        }
      }
    }
  }
  EXPECT_GE(options, 150U);
  EXPECT_GE(sets, 30U);
}

}  // namespace
}  // namespace tessera
