"""Ctrl-C, kill, terminals: nothing is lost, nothing is left behind."""

import json
import os
import pty
import re
import select
import signal
import time

import pytest
from support.cli import COMMAND, start, write
from support.tpl import MP, SB, SLOW

from fencepost import api


@pytest.fixture
def slow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write("slow.tpl", SLOW)


def searching(seconds=1.0):
    """Long enough for the search to have begun, even on a busy machine: it has if it is interrupted, not ended."""
    time.sleep(seconds)


def test_ctrl_c_ends_with_what_is_known(slow):
    process = start("check", slow, "--jobs", "1", "--format", "json", "-o", "report.json")
    searching()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (2, "", ""), "what is said about Ctrl-C is for terminals"
    with open("report.json", encoding="utf-8") as file:
        report = json.load(file)
    assert report["verdict"] == "unknown"
    assert re.fullmatch(r"interrupted; no violation after [\d,]+ states", report["reason"])
    assert report["statistics"]["states"] > 0


def test_ctrl_c_keeps_the_results_of_the_files_before(slow):
    process = start("check", write("sb.tpl", SB), slow, write("mp.tpl", MP), "--jobs", "1", "-q")
    searching()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    first, second, summary = out.splitlines()
    assert first.startswith("sb.tpl: NOT robust: ")
    assert second.startswith("slow.tpl: unknown: interrupted; ")
    assert summary == "3 programs: 1 NOT robust, 1 unknown, 1 not checked"


def test_ctrl_c_outside_of_the_search_is_no_answer_either(fencepost, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "check", interrupted)
    code, out, _ = fencepost("check", write("mp.tpl", MP))
    assert code == 2
    assert out.startswith("unknown: interrupted before or after the search\n")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_killing_it_leaves_nothing_behind(slow, how):
    process = start("check", slow, "--jobs", "1", "-o", "report.txt")
    searching()
    process.send_signal(how)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == -how
    assert os.listdir() == [slow]


def on_a_terminal(*arguments, keys=()):
    """Exit code and output of fencepost on a terminal, where `keys` are typed, each after a number of seconds."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(COMMAND[0], [*COMMAND, *arguments])
    shown, started, keys = b"", time.monotonic(), list(keys)
    while time.monotonic() - started < 60:
        if keys and time.monotonic() - started > keys[0][0]:
            os.write(terminal, keys.pop(0)[1])
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                shown += os.read(terminal, 1 << 16)
            except OSError:  # Linux's way to say that nobody writes any more
                break
    status = os.waitpid(child, 0)[1]
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_progress_is_shown_on_a_terminal_and_taken_back(slow):
    code, shown = on_a_terminal("check", slow, "--timeout", "1.5", "--jobs", "1", "-q", "--color", "never")
    assert code == 2
    assert re.search(r"\rslow\.tpl: [\d,]+ states, [\d,]+ states/s, \d+ s", shown)
    assert re.search(
        r"\r +\runknown: the time limit of 1\.5 s was reached; no violation after [\d,]+ states\r\n$", shown
    )


def test_ctrl_c_on_a_terminal_says_what_happens(slow):
    code, shown = on_a_terminal("check", slow, "--jobs", "1", keys=[(1.5, b"\x03")])
    assert code == 2
    assert "interrupted: ending with what is known; Ctrl-C again ends at once\r\n" in shown
    assert "unknown: interrupted; no violation after " in shown


def test_a_second_ctrl_c_ends_at_once(tmp_path, monkeypatch):
    """Even in the middle of something that the first one does not cut short."""
    monkeypatch.chdir(tmp_path)
    script = (
        "import time; from fencepost.cli.interrupts import Interrupts\n"
        "with Interrupts() as interrupts:\n"
        "    print('ready', flush=True)\n"
        "    while not interrupts.seen: time.sleep(0.01)\n"
        "    print('seen', flush=True)\n"
        "    time.sleep(60)\n"
    )
    import subprocess
    import sys

    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "seen\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130


def test_a_job_in_the_background_ignores_the_ctrl_c_of_another(slow):
    ignore = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from fencepost.cli.main import entry; entry()"
    )
    import subprocess
    import sys

    arguments = ["check", slow, "--timeout", "2", "--jobs", "1", "-q"]
    process = subprocess.Popen([sys.executable, "-c", ignore, *arguments], stdout=subprocess.PIPE, text=True)
    searching()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.startswith("unknown: the time limit of 2 s was reached")
