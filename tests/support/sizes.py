"""How large a TPL program is, counted as in the published tool's figures."""

import re
from pathlib import Path

from fencepost import api
from fencepost.program.form import BlockingCas, Cas, Fence, Load, Rmw, Store, Wait


def size_of(path: Path) -> dict[str, int]:
    """Threads, locations, the largest value, and how often each kind of statement is written."""
    program = api.load(path)
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    atomic = {location.name for location in program.locations if location.atomic}

    def count(*kinds: type) -> int:
        return sum(
            isinstance(instruction, kinds) and (isinstance(instruction, Fence) or instruction.ref.location in atomic)
            for thread in program.threads
            for instruction in thread.code
        )

    return {
        "threads": len(program.threads),
        "max_value": program.max_value,
        "atomic_locations": len(atomic),
        "nonatomic_locations": len(program.locations) - len(atomic),
        "loads": count(Load),
        "stores": count(Store),
        "rmws": count(Rmw, Cas, BlockingCas),
        "waits": count(Wait),
        "fences": count(Fence),
        "loops_and_gotos": len(re.findall(r"\b(?:while|goto)\b", text)),
        "choices": len(re.findall(r"\boneof\b", text)),
    }
