"""RC20: the 24 programs of Margalit and Lahav's evaluation (POPL 2021), side by side with SC search, SPIN and Rocker.

Also what each reduction brings, one worker and two, more threads than published, and start-up.

Everything runs on this machine, one after the other, each in a process of its own; only the published tool's figures
(--published, a file of ../shared/peers) were measured elsewhere, on a machine that is said to be like this one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from peers import spin
from peers.measure import Check, check, run

from fencepost import Reduction

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples" / "rc20").glob("*.tpl"))
LARGER = sorted((ROOT / "bench" / "larger").glob("*.tpl"))
PUBLISHED = ROOT.parent / "shared" / "peers" / "rocker.json"
NOTIONS = {"robust": (), "observational": ("--observational",)}
COVERED = 25  # a hash factor over this: the published tool's lossy search has covered the states
REDUCTIONS = [reduction.value for reduction in Reduction if reduction is not Reduction.PAIRS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run rc20", description=__doc__)
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--only", metavar="NAMES", help="programs, separated by commas")
    parser.add_argument("--timeout", default="600", help="seconds for each check (default: 600)")
    parser.add_argument("--memory", default="16G", help="for each check (default: 16G)")
    parser.add_argument("--limit", default="20", help="seconds for each check without a reduction (default: 20)")
    parser.add_argument("--published", type=Path, default=PUBLISHED, help="figures of the published tool (rocker.json)")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in arguments.parts or PARTS:
        PARTS[name](arguments)
        print(flush=True)


def chosen(arguments: argparse.Namespace, files: Iterable[Path]) -> list[Path]:
    wanted = None if arguments.only is None else set(arguments.only.split(","))
    return [file for file in files if wanted is None or file.stem in wanted]


def table(*columns: str) -> None:
    print("| " + " | ".join(columns) + " |")
    words = ("program", "notion", "verdict", "why unknown", "")
    print("|" + "|".join("---" if column in words else "---:" for column in columns) + "|", flush=True)


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def budgets(arguments: argparse.Namespace) -> tuple[str, ...]:
    return ("--timeout", arguments.timeout, "--memory", arguments.memory)


# The programs, both notions


def programs(arguments: argparse.Namespace) -> None:
    published = _published(arguments.published)
    print("## All programs, both notions, one worker\n")
    table(
        "program",
        "notion",
        "verdict",
        "states",
        "s",
        "CPU s",
        "search s",
        "MB",
        "SC states",
        "SC s",
        "published s",
        "ratio",
        "ratio to CPU",
    )
    ours = theirs = cpu = peak = 0.0
    slower: list[str] = []
    covered: list[tuple[float, float]] = []
    undecided = wrong = 0
    for file in chosen(arguments, EXAMPLES):
        plain = check(file, "--model", "sc", "--jobs", "1", *budgets(arguments))
        for notion, options in NOTIONS.items():
            found = check(file, "--jobs", "1", *options, *budgets(arguments))
            figures = published.get(file.stem, {}).get(f"rc20_{notion}")
            ratio = figures["total_s"] / found.run.wall if figures else 0
            row(
                file.stem, notion, _verdict(found), f"{found.states:,}",
                f"{found.run.wall:.2f}", f"{found.run.cpu:.2f}", f"{found.seconds:.3f}", f"{found.run.peak:.0f}",
                f"{plain.states:,}", f"{plain.run.wall:.2f}",
                _published_cell(figures), f"{ratio:.1f}" if figures else "",
                f"{figures['total_s'] / found.run.cpu:.0f}" if figures else "",
            )  # fmt: skip
            undecided += found.verdict == "unknown"
            wrong += not found.as_marked
            ours, cpu, peak = ours + found.run.wall, cpu + found.run.cpu, max(peak, found.run.peak)
            if figures:
                theirs += figures["total_s"]
                if ratio < 1:
                    slower.append(f"{file.stem} ({notion})")
                if figures["hash_factor"] > COVERED:
                    covered.append((ratio, figures["total_s"] / found.run.cpu))
    print(
        f"\nTogether {ours:.1f} s ({cpu:.1f} s of processor time), at most {peak:.0f} MB at a time; undecided: ", end=""
    )
    print(f"{undecided}; other than marked: {wrong}.")
    if theirs:
        times = f"{theirs / ours:.1f} times as long ({theirs / cpu:.1f} times our processor time)"
        print(f"The published tool: {theirs:.1f} s, {times}. ", end="")
        print(f"Slower than it: {', '.join(slower) or 'none'}.")
    if covered:
        least, least_cpu = (min(ratios) for ratios in zip(*covered, strict=True))
        print(f"Where its lossy search covered the states (hash factor over {COVERED}): at least {least:.1f} ", end="")
        print(f"times as long, {least_cpu:.1f} times our processor time.")


def _published(file: Path) -> dict[str, Any]:
    if not file.is_file():
        print(f"(without the published tool's figures: there is no {file.name})\n")
        return {}
    return {entry["program"]: entry for entry in json.loads(file.read_text(encoding="utf-8"))["programs"]}


def _published_cell(figures: dict[str, Any] | None) -> str:
    if not figures:
        return ""
    return f"{figures['total_s']:.2f}" + ("" if figures["hash_factor"] > COVERED else " (lossy)")


def _verdict(found: Check) -> str:
    return found.verdict + ("" if found.as_marked else " (not as marked)")


# More threads than the published programs have


def larger(arguments: argparse.Namespace) -> None:
    print("## More threads, two workers\n")
    table("program", "notion", "verdict", "states", "s", "CPU s", "MB", "why unknown")
    for file in chosen(arguments, LARGER):
        for notion, options in NOTIONS.items():
            found = check(file, "--jobs", "2", *options, *budgets(arguments))
            row(
                file.stem, notion, _verdict(found), f"{found.states:,}",
                f"{found.run.wall:.1f}", f"{found.run.cpu:.1f}", f"{found.run.peak:.0f}",
                found.report.get("reason") if found.verdict == "unknown" else "",
            )  # fmt: skip


# What each reduction brings


def reductions(arguments: argparse.Namespace) -> None:
    print(f"## Without one reduction: states, robustness, one worker, at most {arguments.limit} s each\n")
    files = chosen(arguments, EXAMPLES)
    table("program", "all", *(f"no {name}" for name in REDUCTIONS))
    for file in files:
        cells = []
        verdicts = set()
        for name in (None, *REDUCTIONS):
            off = () if name is None else ("--no-reduction", name)
            found = check(file, "--jobs", "1", *off, "--timeout", arguments.limit, "--memory", "4G")
            cells.append(f"{found.states:,}" if found.verdict != "unknown" else f"> {found.states:,}")
            verdicts.add(found.verdict)
        row(file.stem, *cells)
        if len(verdicts - {"unknown"}) > 1:
            raise SystemExit(f"{file.stem}: the verdict depends on a reduction: {verdicts}")


# The same answers without each


def agreement(arguments: argparse.Namespace) -> None:
    print("## The same verdicts without each reduction, and with two workers\n")
    print(f"At most {arguments.limit} s and 4 GB each. ", end="")
    print("Both notions: = the same, > out of budget, ! other.\n")
    variants = {
        "none": [option for name in REDUCTIONS for option in ("--no-reduction", name)],
        **{f"no {name}": ["--no-reduction", name] for name in REDUCTIONS},
        "two workers": [],
    }
    table("program", *variants)
    same = out = 0
    other: list[str] = []
    for file in chosen(arguments, EXAMPLES):
        cells = dict.fromkeys(variants, "")
        for notion, options in NOTIONS.items():
            expected = check(file, "--jobs", "1", *options, *budgets(arguments)).verdict
            for name, variant in variants.items():
                jobs = "2" if name == "two workers" else "1"
                budget = ("--timeout", arguments.limit, "--memory", "4G")
                found = check(file, "--jobs", jobs, *options, *variant, *budget).verdict
                if found == expected:
                    same += 1
                    cells[name] += "="
                elif found == "unknown":
                    out += 1
                    cells[name] += ">"
                else:
                    other.append(f"{file.stem} ({notion}, {name}): {found}")
                    cells[name] += "!"
        row(file.stem, *cells.values())
    print(f"\n{same} the same, {out} out of budget, {len(other)} other.")
    if other:
        raise SystemExit("verdicts that depend on reductions or workers: " + ", ".join(other))


# One worker and two


def workers(arguments: argparse.Namespace) -> None:
    print("## One worker and two (robustness; programs of more than 100,000 states)\n")
    table("program", "verdict", "states, 1", "s, 1", "states, 2", "s, 2", "ratio")
    for file in chosen(arguments, EXAMPLES):
        one = check(file, "--jobs", "1", *budgets(arguments))
        if one.states < 100_000:
            continue
        two = check(file, "--jobs", "2", *budgets(arguments))
        if one.verdict != two.verdict:
            raise SystemExit(f"{file.stem}: the verdict depends on the number of workers")
        row(
            file.stem, one.verdict, f"{one.states:,}", f"{one.run.wall:.2f}", f"{two.states:,}", f"{two.run.wall:.2f}",
            f"{one.run.wall / two.run.wall:.2f}",
        )  # fmt: skip


# SPIN, exhaustive, on the same programs under plain SC


def peers(arguments: argparse.Namespace) -> None:
    print("## SPIN, exhaustive, on the same programs under plain SC\n")
    if not spin.is_there():
        print("(left out: no spin or no gcc on the PATH; on Debian: apt install spin gcc)")
        return
    table("program", "", "SPIN states", "s with compiling", "search s", "MB", "fencepost states", "s")
    for model in sorted((ROOT / "bench" / "promela").glob("*.pml")):
        if not chosen(arguments, [model]):
            continue
        theirs = spin.explore(model)
        ours = check(ROOT / "examples" / "rc20" / f"{model.stem}.tpl", "--model", "sc", "--jobs", "1")
        row(
            model.stem, "no error" if theirs.errors == 0 else f"{theirs.errors} errors", f"{theirs.states:,}",
            f"{theirs.total:.2f}", f"{theirs.search:.2f}", f"{theirs.peak:.0f}", f"{ours.states:,}",
            f"{ours.run.wall:.2f}",
        )  # fmt: skip


# Start-up


def startup(_: argparse.Namespace) -> None:
    print("## Start-up: `fencepost check examples/litmus/sb.tpl`, best of 7\n")
    small = ROOT / "examples" / "litmus" / "sb.tpl"
    runs = [check(small).run for _ in range(7)]
    print(f"{min(r.wall for r in runs):.3f} s, {min(r.cpu for r in runs):.3f} s of processor time")
    python = [run(["python3", "-c", "pass"]) for _ in range(7)]
    print(f"(of which Python itself: {min(r.wall for r in python):.3f} s)")


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "startup": startup,
    "programs": programs,
    "spin": peers,
    "workers": workers,
    "reductions": reductions,
    "agreement": agreement,
    "larger": larger,
}

if __name__ == "__main__":
    main()
