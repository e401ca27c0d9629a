"""Where the runtime, its header and the linker's stand-ins lie in this installation."""

from __future__ import annotations

import os

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "include")
STATIC_RUNTIME = os.path.join(HERE, "lib", "libfencepost_rt.a")
SHARED_RUNTIME = os.path.join(HERE, "lib", "libfencepost_rt.so")

# Empty linker scripts named libtsan: gcc, told -fsanitize=thread, asks the linker for its own runtime,
# and finds these first.
NO_TSAN = os.path.join(HERE, "link")


def missing(path: str) -> str:
    """What to tell a user whose installation lacks a part of the runtime."""
    return f"this installation of fencepost has no sanitizer runtime ({os.path.basename(path)}), which needs Linux"
