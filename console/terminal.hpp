// What the terminal can show.
#pragma once

#include <cstddef>

namespace tessera {

struct Terminal {
  bool colour = false;
  std::size_t width = 0;  ///< columns; 0: as many as it takes
};

/// Of standard output. No colour where NO_COLOR is set (https://no-color.org), TERM is dumb or the
/// output is no terminal. COLUMNS goes before the terminal's own width.
Terminal standard_output();

}  // namespace tessera
