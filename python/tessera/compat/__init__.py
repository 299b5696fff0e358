"""Files of other people's tools, read as they are."""

from .scalesim import ScaleSim, scalesim

__all__ = ["ScaleSim", "scalesim"]
