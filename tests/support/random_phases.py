"""Random programs around phases, in TPL: threads start a limited number of them, announce them, and wait for others."""

from __future__ import annotations

from random import Random

from fencepost.frontends import loads
from fencepost.program.form import Program


def random_phase_program(seed: int) -> Program:
    """g is the phase; r0 and r1 are what threads announce (0: nothing); x and y are data."""
    random = Random(f"phases {seed}")
    threads = random.choice((2, 2, 2, 3))
    odd = random.random() < 0.25  # something that depends on how large a phase is
    discipline = random.choice(("lock", "lock", "at once", "without care"))
    lines = [
        "max_value 60;",
        f"global g = {random.choice((1, 1, 1, 1, 2, 0))}, r0 = {random.choice((0, 0, 1))}, r1, x, y, l;",
    ]
    for number in range(threads):
        body = "\n    ".join(_alternatives(random, number % 2, odd, discipline))
        head = f"fn t{number} {{\n    local n, a, b, d;\n    n = 0;\n    again:\n"
        lines.append(f"{head}    {body}\n    goto again;\n    done: skip;\n}}")
    return loads("\n".join(lines), f"phases-{seed}.tpl")


def _alternatives(random: Random, own: int, odd: bool, discipline: str) -> list[str]:
    limit = random.choice((0, 1, 2))
    start = [
        f"if (n {random.choice(('<=', '<=', '<', '=='))} {limit}) {{",
        f"n = n + {random.choice((1, 1, 1, 2))};",
        *_advance(random, discipline),
        *(_statement(random, own, odd) for _ in range(random.randint(0, 2))),
        "}",
    ]
    if random.random() < 0.15:  # nothing asks, or what asks does not keep the limit
        start[0] = random.choice((f"if (n != {limit + 1}) {{", "{", f"if (n >= {limit}) goto done; else {{"))
    other = [_statement(random, own, odd) for _ in range(random.randint(1, 3))]
    if random.random() < 0.2:
        return [*start, *other]
    return ["oneof {", *start, "} {", *other, "};"]


def _advance(random: Random, discipline: str) -> list[str]:
    """How a phase is started: by one thread at a time, at once, or without care."""
    if discipline == "lock":
        wait = f"wait(r{random.randrange(2)}, a, 0, acq);"
        phase = [
            "BCAS(l, 0, 1, acq, rel);",
            "a = g.load(acq);",
            f"a = a + {random.choice((1, 1, 2))};",
            "g.store(a, rel);",
        ]
        return [*phase, "fence(seq_cst);", random.choice((wait, wait, "d = x.load(acq);")), "l.store(0, rel);"]
    atomic = (
        ["a = FADD(g, 1, acq, rel);"],
        ["a = g.load(acq);", "b = CAS(g, a, a + 1, acq, rel);"],
        ["a = g.load(acq);", "BCAS(g, a, a + 1, acq, rel);"],
    )
    careless = (
        ["a = g.load(acq);", "a = a + 1;", "g.store(a, rel);"],
        ["a = g.load(acq);", "g.store(a + 1, rel);"],
        ["a = g.load(acq);", "x.store(1, rel);", "a = a + 2;", "g.store(a);"],
    )
    return random.choice(atomic if discipline == "at once" else careless)


def _statement(random: Random, own: int, odd: bool) -> str:
    other = 1 - own
    kinds = [
        "a = g.load(acq);",
        "b = g.load();",
        f"a = g.load(acq); r{own}.store(a, rel);",
        f"r{own}.store(0, rel);",
        f"a = g.load(); r{own}.store(a, rel); fence(seq_cst);",
        f"b = r{other}.load(acq);",
        f"wait(r{other}, 0, acq);",
        f"a = g.load(acq); wait(r{other}, a, 0, acq);",
        f"b = r{other}.load(acq); if (b == 0) {{ x.store({random.choice((0, 1))}, rel); }}",
        f"x.store({random.choice((0, 1))}, rel);",
        "d = x.load(acq);",
        "d = y.load();",
        "fence(seq_cst);",
    ]
    if odd:
        kinds += [
            f"b = r{other}.load(acq); if (b {random.choice(('<', '==', '!=', '>='))} a) {{ x.store(1, rel); }}",
            f"a = g.load(acq); b = r{other}.load(); assert(b <= a);",
            f"assert(a {random.choice(('>=', '!='))} b || d == {random.choice((0, 1))});",
            f"b = CAS(r{other}, a, 0);",
            f"if (a == {random.choice((1, 2, 3, 4))}) {{ y.store(1); }}",
            f"assert(b != {random.choice((2, 3, 5))});",
            "d = a - b;",
            "x.store(a % 2);",
            f"r{own}.store(a - 1);",
            f"b = {random.choice((0, 2))}; r{own}.store(b);",
            "wait(g, 2);",
            "if (n == 1) { y.store(1); }",
        ]
    return random.choice(kinds)
