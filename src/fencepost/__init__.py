"""fencepost: robustness of concurrent programs against weak memory models."""

__version__ = "0.1.0"
