"""Virtual environments for `run` and `run-tests`: made when first needed, brought up to date when the sources change.

This file must be readable to old Pythons too, which it tells what they lack.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OLDEST = (3, 11)

# What the package is built from; a change in any of it means to install again.
_SOURCES = ("pyproject.toml", "CMakeLists.txt", "LICENSE", "core", "runtime", "src", "tools/environment.py")
_SKIPPED = ("__pycache__",)


def find_python():
    """Goes on only in a Python that is new enough: this one, or one on the PATH, which starts the script anew."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):
        newer = shutil.which("python3.%d" % minor)  # noqa: UP031 - for old Pythons as well
        if newer:
            os.execv(newer, [newer, *sys.argv])
    _stop(
        "fencepost needs Python %d.%d or newer; this is %d.%d (%s)"  # noqa: UP031 - for old Pythons as well
        % (OLDEST + sys.version_info[:2] + (sys.executable,)),
        "on Debian: apt install python3 (Debian 12 or newer)",
    )


def environment(name, extras=""):
    """The folder of programs of the environment `name`, in which fencepost is installed as it is now."""
    folder = os.path.join(ROOT, name)
    wanted = {"python": [sys.version, sys.base_prefix], "sources": _fingerprint(), "extras": extras}
    with _alone(folder + ".lock"):
        known = _read_stamp(folder)
        if known != wanted:
            _require_tools()
            if known.get("python") != wanted["python"]:
                _say("setting up " + name + ", which takes a minute ...")
                _run([sys.executable, "-m", "venv", "--clear", folder], "the virtual environment could not be made")
                tools = [*_build_requirements(), "cmake", "ninja"]
                _pip(folder, tools, "the build tools could not be installed")
            else:
                _say("installing the changed sources into " + name + " ...")
            build = "build-dir=" + os.path.join(folder, "build")
            package = ["--no-build-isolation", "--config-settings", build, ROOT + extras]
            _pip(folder, package, "fencepost could not be built and installed")
            with open(_stamp(folder), "w", encoding="utf-8") as file:
                json.dump(wanted, file)
    return os.path.join(folder, "bin")


def _require_tools():
    """The parts of a system that pip cannot bring."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        _stop("this Python cannot make virtual environments", "on Debian: apt install python3-venv")
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        _stop("the headers of this Python are missing", "on Debian: apt install python3-dev")
    compilers = [os.environ.get("CXX", "").split(" ")[0] or "c++", "g++", "clang++"]
    if not any(shutil.which(compiler) for compiler in compilers):
        _stop("there is no C++ compiler", "on Debian: apt install g++")


def _build_requirements():
    import tomllib  # not in old Pythons

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["build-system"]["requires"]


def _fingerprint():
    """A hash of the names and the contents of all sources."""
    digest = hashlib.sha256()
    for path in sorted(_files()):
        digest.update(os.path.relpath(path, ROOT).encode() + b"\0")
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def _files():
    for source in _SOURCES:
        top = os.path.join(ROOT, source)
        if os.path.isfile(top):
            yield top
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in _SKIPPED]
            for name in names:
                if not name.endswith(".so"):
                    yield os.path.join(folder, name)


def _stamp(folder):
    return os.path.join(folder, "fencepost-stamp.json")


def _read_stamp(folder):
    try:
        with open(_stamp(folder), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def _pip(folder, arguments, failure):
    python = os.path.join(folder, "bin", "python")
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments], failure)


def _run(command, failure):
    """Runs a command; what it prints goes to stderr, as stdout belongs to whom this is all done for."""
    settings = dict(os.environ, PIP_USER="0")
    if subprocess.call(command, stdout=sys.stderr, stdin=subprocess.DEVNULL, env=settings) != 0:
        _stop(failure, "the lines above say why; the command was: " + " ".join(command))


@contextlib.contextmanager
def _alone(path):
    """Of several such scripts at a time, one sets up and the others wait."""
    import fcntl

    with open(path, "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _stop(problem, remedy):
    _say("error: " + problem + "\nhint: " + remedy)
    raise SystemExit(3)
