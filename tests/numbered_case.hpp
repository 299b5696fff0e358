// Random cases that have a number: the same number is the same case at any time.
#pragma once

#include <rapidcheck.h>
#include <rapidcheck/detail/TestParams.h>

#include <cstdint>
#include <sstream>
#include <string>

namespace tessera::test {

/// "" or what is wrong with `body`, which draws with RapidCheck: the message of the first case that
/// fails.
template <class Body>
std::string problem_in(const rc::detail::TestParams& params, const Body& body) {
  const auto result = rc::detail::checkTestable(body, rc::detail::TestMetadata{}, params);
  if (result.template is<rc::detail::SuccessResult>()) {
    return "";
  }
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return text.str();
}

/// Runs `body` once, on what this number draws. Nothing is made smaller: the number is what repeats
/// it.
template <class Body>
std::string run_numbered(std::uint64_t number, Body body) {
  rc::detail::TestParams params;
  params.seed = number;
  params.maxSuccess = 1;
  params.disableShrinking = true;
  return problem_in(params, body);
}

}  // namespace tessera::test
