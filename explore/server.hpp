// A page for looking around, for browsers on this machine only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "explore/source.hpp"

namespace tessera::explore {

/// Serves the page on 127.0.0.1 until `goes_on` is false, which is asked ten times a second. Port
/// 0: any that is free. `started` gets the address. Answers only requests for that address, so that
/// no other page that a browser shows can read along. Throws InputError when the port is taken,
/// MissingTool when parts of the page are not there.
void serve(std::vector<std::unique_ptr<Source>> sources, int port,
           const std::function<void(const std::string& address)>& started,
           const std::function<bool()>& goes_on);

}  // namespace tessera::explore
