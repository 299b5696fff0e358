// The SystemC library brings a main() as well: an object file's comes before those of libraries.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

constexpr int kSkipped = 77;  // what CTest takes for a test that was skipped

// With TESSERA_TEST_RECORD=FILE: a line there for each test, its seconds, its result, its name and
// what it says when it was skipped.
class Record : public testing::EmptyTestEventListener {
 public:
  explicit Record(std::string file) : file_(std::move(file)) {}

  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    std::string why;
    for (int i = 0; i < result.total_part_count(); ++i) {
      if (result.GetTestPartResult(i).skipped()) {
        why = result.GetTestPartResult(i).message();
      }
    }
    // Of a line's length: what several processes append stays whole.
    const std::string line = std::to_string(static_cast<double>(result.elapsed_time()) / 1000) +
                             (result.Skipped()  ? "\tskipped\t"
                              : result.Failed() ? "\tfailed\t"
                                                : "\tpassed\t") +
                             test.test_suite_name() + "." + test.name() + "\t" +
                             why.substr(0, why.find('\n')) + "\n";
    std::ofstream(file_, std::ios::app) << line;
  }

 private:
  std::string file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // RapidCheck's own seed would be another one in every process, which nobody could repeat.
  const char* seed = std::getenv("TESSERA_SEED");
  setenv("RC_PARAMS",
         ("seed=" + std::string(seed == nullptr || *seed == '\0' ? "1" : seed)).c_str(), 0);
  if (const char* file = std::getenv("TESSERA_TEST_RECORD"); file != nullptr) {
    testing::UnitTest::GetInstance()->listeners().Append(new Record(file));
  }
  const int code = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  // A wrong filter must not look like tests that have passed.
  if (!testing::GTEST_FLAG(list_tests) && all.test_to_run_count() == 0) {
    std::fprintf(stderr, "no test matches %s\n", testing::GTEST_FLAG(filter).c_str());
    return 1;
  }
  return code == 0 && all.skipped_test_count() > 0 && all.successful_test_count() == 0 ? kSkipped
                                                                                       : code;
}
