"""A real browser for tests: Debian's chromium, spoken to through its debugging pipe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60.0  # seconds


@cache
def find_browser() -> str | None:
    """Its program; installed if it is missing and may be."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        settings = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]):
            if subprocess.run(["apt-get", *arguments], env=settings, capture_output=True).returncode:
                return None
        found = shutil.which("chromium")
    return found


class Page:
    """One page. `problems`: exceptions of scripts, and errors that the browser reports."""

    def __init__(self, into: int, out: int) -> None:
        self._into, self._out = into, out
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.problems: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        self.requests: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._out, 1 << 16)
            assert piece, "the browser has gone"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(str(message["params"]["exceptionDetails"]))
            case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                self.problems.append(message["params"]["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        return message

    def open(self, path: Path) -> None:
        self.requests = []
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + _PATIENCE
        here = json.dumps(path.as_uri())
        while not self.value(f"document.readyState === 'complete' && location.href === {here}"):
            assert time.monotonic() < end, f"{path} does not load"
            time.sleep(0.02)

    def value(self, script: str) -> Any:
        """What an expression is in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def emulate(self, *, media: str = "", dark: bool = False) -> None:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)


@contextmanager
def browser(program: str, profile: Path) -> Iterator[Page]:
    """A page in a browser of its own, without network."""
    child_in, into = os.pipe()
    out, child_out = os.pipe()
    # The browser reads from 3 and writes to 4: a shell puts the pipes there.
    script = f'exec 3<&{child_in} 4>&{child_out}; exec "$@"'
    arguments = (
        *(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "about:blank"),
    )
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", *arguments],
        pass_fds=(child_in, child_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(child_in)
    os.close(child_out)
    try:
        yield Page(into, out)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(into)
        os.close(out)
