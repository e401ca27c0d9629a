"""Fixtures that several test files use."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def fencepost(capsys: pytest.CaptureFixture[str], tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls fencepost in an empty folder; returns exit code, standard output and standard error."""
    from fencepost.cli.main import main

    monkeypatch.chdir(str(tmp_path))

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture(params=["gcc", "clang"])
def compiler(request: pytest.FixtureRequest) -> str:
    """Both families of C compilers."""
    from support.compilers import required

    name = str(request.param)
    required(name)
    return name
