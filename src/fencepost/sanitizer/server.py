"""A program that waits just before its `main`, and runs it in a child for each request (runtime/PROTOCOL.md)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .records import LogError, Reader, Record, Trouble
from .results import Setup

_TAIL = 4000  # characters of a program's output that a report may quote


class ServerError(Exception):
    """The program cannot be run under the tool; the message says why, `hint` what can be done."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """One run."""

    setup: Setup
    ending: str  # ok deadlock bound diverged redundant crashed timeout failed
    status: int | None  # exit code, or minus a signal's number
    steps: int
    threads: int
    records: tuple[Record, ...]
    output: str  # the end of what it wrote, if that was caught
    is_last: bool = False  # of all schedules that there are


class ForkServer:
    """One such program. Requests are sent with `begin`; when `fileno` is readable, `outcome` may have an answer."""

    def __init__(
        self,
        command: Sequence[str],
        options: Mapping[str, str],
        folder: str,
        *,
        timeout: float = 0.0,
        catch_output: bool = True,
        number: int = 0,
        log: str | None = None,
    ) -> None:
        self._command = list(command)
        self._timeout = timeout
        self._log_path = log or os.path.join(folder, f"log-{number}")
        self._output_path = os.path.join(folder, f"output-{number}") if catch_output else None
        self._log = open(self._log_path, "a+b")  # noqa: SIM115 - closed with the server
        self._log.seek(0, os.SEEK_END)  # what is new is read from here on
        self._log_rest = b""
        self._reader = Reader()
        self._answers = b""
        self._setup: Setup | None = None
        self._output_start = 0
        self.answered = False  # at least once
        self.is_over = False
        self._start(options)

    def _start(self, options: Mapping[str, str]) -> None:
        requests, self._requests = os.pipe()
        self._answer_end, answers = os.pipe()
        ours = {"log_path": self._log_path, "server": "1", "server_in": str(requests), "server_out": str(answers)}
        text = ":".join(f"{key}={value}" for key, value in {**options, **ours}.items())
        output = open(self._output_path, "ab") if self._output_path else None  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                self._command,
                env={**os.environ, "FENCEPOST_OPTIONS": text},
                pass_fds=(requests, answers),
                stdin=subprocess.DEVNULL if output else None,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=output is not None,  # Ctrl-C is for us, who then ask for what is known
            )
        except OSError as error:
            raise ServerError(f"cannot run {self._command[0]}: {error.strerror}") from None
        finally:
            os.close(requests)
            os.close(answers)
            if output:
                output.close()

    def fileno(self) -> int:
        return self._answer_end

    def begin(self, setup: Setup, extra: str = "") -> None:
        """Asks for a run."""
        words = ["run", f"seed={setup.seed}"]
        if setup.replay is None:
            words.append(f"schedule={setup.schedule}")
        if setup.depth:
            words.append(f"depth={setup.depth}")
        if setup.steps:
            words.append(f"steps={setup.steps}")
        if setup.replay is not None:
            words.append(f"replay={setup.replay}")
        if self._timeout:
            words.append(f"timeout={round(1000 * self._timeout)}")
        if extra:
            words.append(extra)
        self._setup = setup
        self._output_start = self._output_size()
        with contextlib.suppress(BrokenPipeError):  # it has ended; `outcome` finds out how
            os.write(self._requests, (" ".join(words) + "\n").encode())

    def outcome(self) -> RunOutcome | None:
        """The outcome of the run that was begun, after `fileno` has become readable; None if it is not complete."""
        if self._setup is None:
            return None
        data = os.read(self._answer_end, 1 << 16)
        if not data:
            return self._ended(self._setup)
        *lines, self._answers = (self._answers + data).split(b"\n")
        for line in lines:
            self.answered = True
            verb, *words = line.decode(errors="replace").split()
            if verb == "error":
                raise ServerError(f"the sanitizer runtime says: {' '.join(words)}")
            if verb == "done":
                return self._outcome(self._setup, dict(word.partition("=")[::2] for word in words))
        return None

    def _outcome(self, setup: Setup, words: Mapping[str, str]) -> RunOutcome:
        self._setup = None
        ending = words.get("status", "ok")
        status = int(words["exit"]) if words.get("exit", "").lstrip("-").isdigit() else None
        if "signal" in words and words["signal"] not in ("", "0"):
            status = -int(words["signal"])
        if ending == "ok" and status:
            ending = "failed"
        if setup.schedule == "pct" and words.get("k", "").isdigit():
            setup = replace(setup, steps=int(words["k"]))  # which repeats the run elsewhere
        steps, threads = (int(words.get(name, "0") or "0") for name in ("steps", "threads"))
        is_last = words.get("complete") == "1"
        return RunOutcome(setup, ending, status, steps, threads, self._new_records(), self._output(), is_last)

    def _ended(self, setup: Setup) -> RunOutcome:
        """The server itself is gone."""
        self._setup = None
        self.is_over = True
        status = self._process.wait()
        if not self.answered:
            self._output_start = 0
            raise self._refusal(status)
        ending = "crashed" if status < 0 else "failed"
        return RunOutcome(setup, ending, status, 0, 0, self._new_records(), self._output())

    def _refusal(self, status: int) -> ServerError:
        """Why it ended before it could be asked for anything."""
        output = self._output()
        said = [line.removeprefix("fencepost: ") for line in output.splitlines() if line.startswith("fencepost: ")]
        if said:  # the runtime itself
            return ServerError(said[-1])
        return ServerError(
            f"{self._command[0]} ended {_in_words(status)} without running under the sanitizer{_quoted(output)}",
            "was it compiled and linked with fencepost cc or fencepost c++?",
        )

    def kill_run(self) -> None:
        """Ends the run that was begun, and the server goes on; if it has no child, it ends itself."""
        children = _children(self._process.pid)
        for child in children or [self._process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def close(self) -> None:
        """Ends the program, whatever it is doing."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._requests, b"quit\n")
        os.close(self._requests)
        for child in _children(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answer_end)
        self._log.close()

    def _new_records(self) -> tuple[Record, ...]:
        data = self._log_rest + self._log.read()
        *lines, self._log_rest = data.split(b"\n")
        return tuple(record for line in lines if line.strip() and (record := self._record(line)) is not None)

    def _record(self, line: bytes) -> Record | None:
        try:
            return self._reader.read(line.decode(errors="replace"))
        except LogError as error:
            return Trouble(f"a line of the runtime's log cannot be read: {error}")

    def _output_size(self) -> int:
        return os.path.getsize(self._output_path) if self._output_path else 0

    def _output(self) -> str:
        """What was written since the run began, or its end; what has been seen is dropped, as runs are many."""
        if self._output_path is None:
            return ""
        with open(self._output_path, "r+b") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(self._output_start, size - _TAIL))
            text = file.read().decode(errors="replace")
            if size > 1 << 20:
                file.truncate(0)
        return text


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _in_words(status: int) -> str:
    if status >= 0:
        return f"with exit code {status}"
    return f"by signal {-status} ({signal_name(-status)})"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _quoted(output: str) -> str:
    text = output.strip()
    return f", after writing: {text[-600:]}" if text else ""
