"""Random programs around a version number, in TPL: speculative reads that are thrown away, races that can be lost."""

from __future__ import annotations

from random import Random

from fencepost.frontends import loads
from fencepost.program.form import Program


def random_version_program(seed: int) -> Program:
    """z is the version, x and y the data. Loops are likely."""
    random = Random(f"versions {seed}")
    largest = random.choice((2, 3, 4))
    lines = [f"max_value {largest};", "global z, x, y;"]
    for thread in range(random.choice((2, 2, 3))):
        body = "\n    ".join(_body(random, largest))
        lines.append(f"fn t{thread} {{\n    local v, w, a;\n    again: skip;\n    {body}\n    done: skip;\n}}")
    return loads("\n".join(lines), f"versions-{seed}.tpl")


def _body(random: Random, largest: int) -> list[str]:
    ends = ("w = CAS(z, v, v + 1);", "z.store(v + 1);", "w = z.load(); if (w != v) goto again; y.store(a);")
    body = ["v = z.load();"] if random.random() < 0.8 else []
    body += [_statement(random, largest) for _ in range(random.randint(3, 7))]
    body += [random.choice(ends)] if random.random() < 0.8 else []
    body.insert(1, f"if (v == {largest}) goto done;")
    return [*body, "goto again;"] if random.random() < 0.5 else body


def _statement(random: Random, largest: int) -> str:
    relation, other = random.choice(("==", "!=", "<")), random.choice(("w", "1", "2"))
    return random.choice(
        (
            "v = z.load();",
            "w = z.load();",
            f"if (v {relation} {other}) goto again;",
            f"x.store({random.choice(('v', '1', 'w'))});",
            f"y.store({random.choice(('v', '1'))});",
            "a = x.load();",
            "a = y.load();",
            "w = CAS(z, v, v + 1);",
            "z.store(v + 1);",
            "if (w != v) goto again;",
            f"if (v == {largest}) goto done;",
            "oneof({ a = x.load(); } { y.store(a); });",
            "fence;" if random.random() < 0.3 else "skip;",
        )
    )
