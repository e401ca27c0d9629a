"""Random programs around counters, in TPL: threads that read a counter and are left behind, whatever they do then."""

from __future__ import annotations

from random import Random

from fencepost.frontends import loads
from fencepost.program.form import Program


def random_counter_program(seed: int) -> Program:
    """z is the counter, x a location that follows it more or less, y a flag. Loops are likely."""
    random = Random(f"counters {seed}")
    largest = random.choice((4, 7, 10))
    start = random.choice((0, 0, 1, 2))
    lines = [f"max_value {largest};", f"global z = {start}, x = {random.choice((0, start))}, y;"]
    threads = [_body(random, largest, start) for _ in range(random.choice((2, 2, 3)))]
    if random.random() < 0.3:
        threads[-1] = threads[-2]
    for number, body in enumerate(threads):
        text = "\n    ".join(body)
        lines.append(f"fn t{number} {{\n    local v, w, a;\n    again: skip;\n    {text}\n    done: skip;\n}}")
    return loads("\n".join(lines), f"counters-{seed}.tpl")


def _body(random: Random, largest: int, start: int) -> list[str]:
    end = random.choice((largest, largest - 1, start + 2))
    advance = random.choice(
        (
            f"if (v >= {end}) goto done; w = CAS(z, v, v + 1, acq, rel);",
            f"if (v >= {end}) goto done; BCAS(z, v, v + 1);",
            f"v = FADD(z, 1); if (v >= {end - 1}) goto done;",
            "skip;",
            f"if (v >= {end}) goto done; z.store(v + 1, rel);",
        )
    )
    first = random.choice(("v = z.load(acq);", "v = z.load();"))
    if random.random() < 0.4:  # a thief: what it may take is up to x, and whether it was taken depends on z
        order = random.choice(("acq", "rlx"))
        return [
            first,
            *(_statement(random, largest, start) for _ in range(random.randint(0, 1))),
            f"a = x.load({order}); if (a {random.choice(('<=', '<'))} v) goto again;",
            f"if (v >= {end}) goto done; w = CAS(z, v, v + 1, acq, rel);",
            "goto again;",
        ]
    body = [first, *(_statement(random, largest, start) for _ in range(random.randint(1, 4))), advance]
    body += [_statement(random, largest, start) for _ in range(random.randint(0, 2))]
    return [*body, "goto again;"] if random.random() < 0.8 else body


def _statement(random: Random, largest: int, start: int) -> str:
    relation = random.choice(("<", "<=", ">", ">=", "==", "!="))
    target = random.choice(("again", "done"))
    constant = random.choice((start, start + 1, largest, 0))
    return random.choice(
        (
            "a = x.load();",
            "a = x.load(acq);",
            f"a = x.load(); if (a {relation} v) goto {target};",
            f"w = z.load(); if (v {relation} w) goto {target};",
            f"if (v {relation} {constant}) goto {target};",
            "x.store(v, rel);",
            "x.store(v + 1);",
            "w = v;",
            "w = v; a = x.load(); if (a > w) { y.store(1); }",
            "y.store(1, rel);",
            "a = y.load();",
            f"wait(x, v{random.choice(('', ', 0'))}, acq);",
            f"assert(v {relation} {constant} || v != {random.choice((start, largest, 1))});",
            "w = CAS(z, v, v + 1);",
            "w = CAS(x, v, v + 1, acq, rel);",
            "oneof { a = y.load(); } { y.store(0); };",
            "fence(seq_cst);",
            "fence(acq);",
        )
    )
