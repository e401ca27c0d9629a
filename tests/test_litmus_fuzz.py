"""Litmus tests with something wrong in them are programs, which have an answer, or InputErrors with a place."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fencepost import Program, SearchOptions, litmus
from fencepost.frontends import InputError, loads

FILES = sorted((Path(__file__).parent.parent / "examples" / "litmus-files").glob("*.litmus"))
WORDS = (
    *("|", ";", "{", "}", "(", ")", "[", "]", "=", "~", "*", "&", "-", ":", "\\", "é", "\x00"),
    *("P0", "P9:", "0:X1=x;", "#1", "$1", "x", "exists", "forall", "/\\", "=>", "0x", "9" * 30, "(*", "*)", '"', "\n"),
    *("locations", "filter", "true", "int", "uint64_t", "atomic_int*", "while", "return;", "%x", "instr:", "L:"),
    *("CSEL W0,W1,W2,EQ", "LDM R1,{R2,R3}", "rlwinm r1,r2,3,4,5", "LOCK", "stwcx. r1,r0,r2", "B L", "RET"),
)


def mutated(random: Random) -> str:
    text = random.choice(FILES).read_text(encoding="utf-8")
    for _ in range(random.choice((1, 1, 2, 3))):
        place = random.randrange(len(text) + 1)
        lines = text.split("\n")
        match random.randrange(4):
            case 0:
                text = text[:place] + random.choice(WORDS) + text[place:]
            case 1:
                text = text[:place] + text[place + random.randrange(1, 8) :]
            case 2:
                lines.insert(random.randrange(len(lines)), random.choice(lines))
                text = "\n".join(lines)
            case _:
                del lines[random.randrange(len(lines))]
                text = "\n".join(lines)
    return text


def program_of(text: str) -> Program | InputError:
    try:
        return loads(text, "t.litmus", "litmus")
    except InputError as error:
        return error


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_text(seed: int) -> None:
    random, programs = Random(seed), 0
    for _ in range(40):
        text = mutated(random)
        program = program_of(text)
        if isinstance(program, InputError):
            assert program.line is not None, text
            continue
        programs += 1
        result = litmus(program, options=SearchOptions(timeout=3, max_states=2000, jobs=1))
        assert result.unknown is not None or result.executions >= len(result.states), text
    assert programs
