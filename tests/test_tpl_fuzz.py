"""Whatever the input: a program or an InputError. And programs survive being written and read."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.random_programs import Options, random_program
from support.traces import trace

from fencepost.frontends import InputError, load, loads
from fencepost.frontends.tpl.writer import NotExpressibleError, to_tpl
from fencepost.program.form import Jump, Program
from fencepost.program.printer import branch_targets

settings.register_profile("fuzz", deadline=None, max_examples=300)
settings.load_profile("fuzz")

ORDERS_READ, ORDERS_WRITE = ("", "rlx", "acq"), ("", "rlx", "rel")
BINARY = ("||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")


class Writer:
    """Writes random TPL that is correct."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.max_value = random.choice((0, 1, 3, 7, 255))
        self.atomics = ["x", "y", "fenced"][: random.randrange(1, 4)]
        self.plain = ["d", "e"][: random.randrange(3)]
        self.labels: list[str] = []
        self.registers: list[str] = []

    def program(self) -> str:
        lines = [f"max_value {self.max_value};"] if self.random.random() < 0.9 else []
        if not lines:
            self.max_value = 255
        lines.append("global " + ", ".join(self.declared(name) for name in self.atomics) + ";")
        if self.plain:
            lines.append("na " + ", ".join(self.declared(name) for name in self.plain) + ";")
        lines += [f"track {name}: {self.random.choice(('all', '0', '0, 1'))};" for name in self.atomics[1:]]
        return "\n".join(lines + [self.function(f"thread{number}") for number in range(self.random.randrange(1, 4))])

    def declared(self, name: str) -> str:
        value = self.random.choice((0, self.random.randrange(self.max_value + 1)))
        return f"{name} = {value}" if value else name

    def function(self, name: str) -> str:
        self.registers = ["r", "s", "_0"][: self.random.randrange(4)]
        self.labels = [f"l{number}" for number in range(self.random.randrange(4))]
        unplaced = list(self.labels)
        body = []
        for _ in range(self.random.randrange(8)):
            if unplaced and self.random.random() < 0.4:
                body.append(f"{unplaced.pop()}:")
            body.append(self.statement(3))
        body += [f"{label}:" for label in unplaced]
        local = f"local {', '.join(self.declared(register) for register in self.registers)};" if self.registers else ""
        return "\n".join([f"fn {name} {{ {local}", *body, "}"])

    def expression(self, depth: int = 3) -> str:
        kind = self.random.randrange(8) if depth else self.random.randrange(3)
        if kind < 3 and self.registers and self.random.random() < 0.7:
            return self.random.choice(self.registers)
        if kind < 3:
            return self.random.choice(("0", "1", "2", "true", "false", str(self.random.randrange(300))))
        if kind == 3:
            return self.random.choice("!-") + self.expression(depth - 1)
        if kind == 4:
            return f"({self.expression(depth - 1)})"
        return f"{self.expression(depth - 1)} {self.random.choice(BINARY)} {self.expression(depth - 1)}"

    def block(self, depth: int) -> str:
        return "{ " + " ".join(self.statement(depth) for _ in range(self.random.randrange(3))) + " }"

    def statement(self, depth: int) -> str:
        flow = [self.if_, self.while_, self.oneof, self.block]
        if depth and self.random.random() < 0.3:
            return self.random.choice(flow)(depth - 1)
        return self.random.choice([self.access, self.simple, self.access])()

    def if_(self, depth: int) -> str:
        text = f"if ({self.expression()}) {self.block(depth)}"
        while self.random.random() < 0.3:
            text += f" else if ({self.expression()}) {self.block(depth)}"
        return text + (f" else {self.block(depth)}" if self.random.random() < 0.5 else "")

    def while_(self, depth: int) -> str:
        return f"while ({self.expression()}) {self.block(depth)}"

    def oneof(self, depth: int) -> str:
        blocks = "\n".join(self.block(depth) for _ in range(self.random.randrange(1, 4)))
        return f"oneof({blocks});"

    def simple(self) -> str:
        options = [
            "skip;",
            ";",
            f"fence({self.random.choice(('acq', 'rel', 'acq_rel', 'seq_cst', 'upd'))});",
            "fence;",
            f"assert({self.expression()});",
            f"assume({self.expression()});",
            f"verify({self.expression()});",
        ]
        options += [f"goto {label};" for label in self.labels]
        options += [f"if ({self.expression()}) goto {label};" for label in self.labels]
        options += [f"{register} = {self.expression()};" for register in self.registers]
        return self.random.choice(options)

    def access(self) -> str:
        x = self.random.choice(self.atomics)
        read, write = self.random.choice(ORDERS_READ), self.random.choice(ORDERS_WRITE)
        both = f", {read}" + (f", {write}" if write else "") if read else ""
        a, b = self.expression(), self.expression()
        result = f"{self.random.choice(self.registers)} = " if self.registers and self.random.random() < 0.7 else ""
        options = [
            f"{x}.store({a}{f', {write}' if write else ''});",
            f"{result}FADD({x}, {a}{both});",
            f"{result}exchange({x}, {a}{both});",
            f"{result}CAS({x}, {a}, {b}{both});",
            f"BCAS({x}, {a}, {b}{both});",
            f"{result}wait({x}, {a}{f', {b}' if self.random.random() < 0.5 else ''}{f', {read}' if read else ''});",
            f"lock({x});",
            f"unlock({x});",
        ]
        options += [f"{register} = {x}.load({read});" for register in self.registers]
        options += [f"{d}.nastore({a});" for d in self.plain]
        options += [f"{register} = {d}.naload();" for register in self.registers for d in self.plain]
        return self.random.choice(options)


def tpl(seed: int) -> str:
    return Writer(Random(seed)).program()


seeds = st.integers(0, 2**32 - 1)

VOCABULARY = (
    *("max_value", "global", "na", "track", "fn", "local", "all", "if", "else", "while", "goto", "oneof", "skip"),
    *("assert", "assume", "verify", "fence", "lock", "unlock", "wait", "CAS", "BCAS", "FADD", "exchange", "true"),
    *("rlx", "acq", "rel", "seq_cst", "load", "store", "naload", "nastore", "x", "y", "d", "r", "s", "f", "g", "l"),
    *("{", "}", "(", ")", ";", ",", ".", ":", "=", "==", "!=", "<=", "!", "-", "+", "*", "/", "%", "&&", "||"),
    *("0", "1", "7", "300", "9223372036854775808", "\n", "// comment\n", "// ROBUSTNESS egr: robust: ra.\n", "$", "\0"),
)


def program_or_error(text: str) -> Program | None:
    """Anything else than a program or an InputError escapes from here. The error can always be shown."""
    try:
        return loads(text, "fuzz.tpl", language="tpl")
    except InputError as caught:
        error = caught
    assert error.message
    assert error.render(text).startswith("fuzz.tpl")
    if error.line is not None:
        lines = text.removeprefix("\ufeff").splitlines()
        assert error.column is not None
        assert 1 <= error.line <= max(len(lines), 1)
        assert 1 <= error.column <= len(lines[error.line - 1] if lines else "") + 1
    return None


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf")
@example(b"fn f { \xff }")
@example(b"\x00")
def test_any_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.tpl"
        path.write_bytes(data)
        try:
            load(path)
        except InputError as caught:
            error = caught
        else:
            return
    assert str(error)


@given(st.text(max_size=300))
@example("// ROBUSTNESS egr:" + " robust: a" * 50)
@example("// ROBUSTNESS" + " " * 5000)
@example("fn f { // \u2028 skip; }")
@example("fn f {\x0c}")
@example("\ufeff\ufefffn f { }")
@example("fn f { local r; r = 1 \ud800 2; }")
def test_any_text(text: str) -> None:
    program_or_error(text)


@given(st.lists(st.sampled_from(VOCABULARY), max_size=60))
def test_any_words(words: list[str]) -> None:
    program_or_error(" ".join(words))
    program_or_error(f"global x, y; na d; fn f {{ local r, s; {' '.join(words)} }}")


@given(seeds, st.data())
def test_damaged_programs(seed: int, data: st.DataObject) -> None:
    """Words taken out, put in, doubled or moved, and texts cut off."""
    words = re.findall(r"\w+|\s+|[^\w\s]", tpl(seed))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, max(len(words) - 1, 0)))
        end = place + data.draw(st.integers(0, 4))
        match data.draw(st.sampled_from(["remove", "insert", "double", "move", "cut"])):
            case "remove":
                del words[place:end]
            case "insert":
                words.insert(place, f" {data.draw(st.sampled_from(VOCABULARY))} ")
            case "double":
                words[place:place] = words[place:end]
            case "move":
                taken, words[place:end] = words[place:end], []
                words += taken
            case "cut":
                del words[place:]
    program_or_error("".join(words))


@given(seeds)
def test_correct_programs_are_read_and_survive_being_written(seed: int) -> None:
    program = loads(tpl(seed), "random.tpl")
    again = loads(to_tpl(program), "random.tpl")
    assert again.locations == program.locations
    assert again.max_value == program.max_value
    assert [thread.name for thread in again.threads] == [thread.name for thread in program.threads]
    for one, other in zip(program.threads, again.threads, strict=True):
        assert [type(instruction) for instruction in one.code] == [type(instruction) for instruction in other.code]
        if not any(name.startswith(".") for name in one.registers):
            assert one == other
        assert trace(program, one, seed) == trace(again, other, seed)
    assert loads(to_tpl(again), "random.tpl") == again


@given(seeds)
def test_the_code_is_tight(seed: int) -> None:
    """Targets are in the code or its end, nothing jumps to a jump, and no jump goes to the next instruction."""
    for thread in loads(tpl(seed), "random.tpl").threads:
        for pc, instruction in enumerate(thread.code):
            for target in branch_targets(instruction):
                assert 0 <= target <= len(thread.code)
                landing = thread.code[target] if target < len(thread.code) else None
                assert not isinstance(landing, Jump) or landing.target == target
                assert not isinstance(instruction, Jump) or target != pc + 1


@pytest.mark.parametrize("options", [Options(), Options(loops=True, non_atomics=True)])
def test_random_programs_survive_being_written(options: Options) -> None:
    written = 0
    for seed in range(300):
        program = random_program(seed, options)
        try:
            text = to_tpl(program)
        except NotExpressibleError:  # arrays, and some read-modify-writes and waits
            continue
        written += 1
        again = loads(text, f"{program.name}.tpl")
        assert again.locations == program.locations
        for one, other in zip(program.threads, again.threads, strict=True):
            assert one.registers == other.registers
            for run in range(5):
                assert trace(program, one, run) == trace(again, other, run), f"random_program({seed}, {options})"
    assert written > 60
