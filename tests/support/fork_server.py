"""A program built with the sanitizer, whose runs are asked for one by one (runtime/PROTOCOL.md)."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from fencepost.sanitizer import installation

Answer = dict[str, str]


def build(source: Path, target: Path, compiler: str, *flags: str, runtime: str = installation.STATIC_RUNTIME) -> Path:
    """Compiled with the instrumentation, linked with our runtime and not with the compiler's."""
    made = target.with_suffix(".o")
    instrument = ["-fsanitize=thread", "-g", f"-I{installation.INCLUDE}"]
    quiet = ["-Wno-tsan"] if "clang" not in compiler else []
    for command in (
        [compiler, *flags, *instrument, *quiet, "-c", str(source), "-o", str(made)],
        [compiler, str(made), "-o", str(target), runtime, "-pthread", "-ldl"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return target


class ForkServer:
    """`run` and `explore` take what stands in the line after the verb; they return what is answered."""

    def __init__(self, command: Sequence[str | Path], options: str = "", patience: float = 120.0) -> None:
        requests, self._requests = os.pipe()
        answers, theirs = os.pipe()
        text = f"{options}:server=1:server_in={requests}:server_out={theirs}"
        self._patience = patience
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        self._process = subprocess.Popen(
            [str(word) for word in command],
            env={**os.environ, "FENCEPOST_OPTIONS": text},
            pass_fds=(requests, theirs),
            stdout=subprocess.DEVNULL,
            stderr=self._said,
        )
        os.close(requests)
        os.close(theirs)
        self._answers = os.fdopen(answers, "r")
        assert self._line().startswith("ready ")

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self.close()

    def set(self, name: str, value: object) -> None:
        self._send(f"set {name}={value}")

    def run(self, text: str) -> Answer:
        return self._ask(f"run {text}", "done")

    def explore(self, text: str = "") -> Answer:
        return self._ask(f"explore {text}", "explored")

    def ask(self, line: str) -> str:
        """Any line, and the line that answers it."""
        self._send(line)
        return self._line()

    def close(self) -> str:
        """Ends it; returns what its runs wrote on standard error."""
        if self._process.poll() is None:
            self._send("quit")
        os.close(self._requests)
        self._process.wait(timeout=10)
        self._answers.close()
        self._said.seek(0)
        said = self._said.read().decode(errors="replace")
        self._said.close()
        return said

    def _ask(self, line: str, verb: str) -> Answer:
        answer = self.ask(line)
        first, *words = answer.split()
        assert first == verb, answer
        return dict(word.split("=", 1) for word in words)

    def _send(self, line: str) -> None:
        os.write(self._requests, f"{line}\n".encode())

    def _line(self) -> str:
        ready, _, _ = select.select([self._answers], [], [], self._patience)
        assert ready, "the fork server does not answer"
        line = self._answers.readline()
        assert line, "the fork server is gone"
        return line.strip()
