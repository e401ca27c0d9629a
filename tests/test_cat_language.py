"""The `.cat` front end: what a text means, and what is said of texts that mean nothing here."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.random_programs import Options, random_program
from test_axiomatic_models import threads

from fencepost import litmus
from fencepost.engines.graphs.enumerate import enumerate_executions
from fencepost.frontends import loads
from fencepost.models.axiomatic.algebra import show
from fencepost.models.axiomatic.candidates import candidates
from fencepost.models.axiomatic.execution import is_consistent, raised_flags
from fencepost.models.cat.load import load
from fencepost.models.registry import find
from fencepost.program.form import Isa
from fencepost.program.source import InputError


def written(folder: Path, text: str, **others: str) -> Path:
    for name, content in others.items():
        (folder / f"{name}.cat").write_text(content)
    path = folder / "model.cat"
    path.write_text(text)
    return path


def expression(folder: Path, text: str, isa: Isa = Isa.C11) -> str:
    """What a text makes of `r`, in the notation of the algebra."""
    path = written(folder, f"test\n{text}\nempty r as r\n")
    (axiom,) = load(path).rules(isa).axioms
    return show(axiom.expression)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("let r = po | rf; co & fr", "(po | (rf ; (co & fr)))"),
        ("let r = po \\ rf \\ co", "((po \\ rf) \\ co)"),
        ("let r = po; rf; co", "((po ; rf) ; co)"),
        ("let r = R * W & po", "((R * W) & po)"),
        ("let r = po*", "po*"),
        ("let r = po* ; rf+ ; co? ; fr^-1", "(((po* ; rf+) ; co?) ; fr^-1)"),
        ("let r = [R & A]; po", "([(R & ((((RLX | ACQ) | REL) | ACQ_REL) | SC))] ; po)"),
        ("let r = [~R]", "[~R]"),
        ("let r = ~po", "((_ * _) \\ po)"),
        ("let r = ~po^-1", "((_ * _) \\ po^-1)"),
        ("let r = [domain(rf)] | [range rmw]", "([domain(rf)] | [range(rmw)])"),
        ("let f(a, b) = a; b let r = f(po, rf)", "(po ; rf)"),
        ("let f a = a | a^-1 let r = f po", "(po | po^-1)"),
        ("let r = (fun x -> x; x) po", None),
        ("let f = fun (x, y) -> x \\ y let r = f(po, rf)", "(po \\ rf)"),
        ("let r = let a = po and b = rf in a; b", "(po ; rf)"),
        ("let po = po & loc let r = po", "(po & loc)"),
        ("let a = po let f x = a; x let a = rf let r = f co", "(po ; co)"),
        ("let r = try po | nowhere with rf", "rf"),
        ('let r = if "vmsa" then po else rf', "rf"),
        ('let r = if not "vmsa" || "mte" && "sve" then po else rf', "po"),
        ('if "cos-opt" let r = po else let r = rf end', "rf"),
        ("let r = 0 | po; [PTE]; rf | fr", "fr"),
        ("let r = [R] | [TLBI]; iico_data", "[R]"),
        ("let r = po (* a (* nested *) comment *) // and\n # these\n", "po"),
        ("let r = rf^-1; co show r, (r \\ id) as other unshow co", "(rf^-1 ; co)"),
        ("let rec r = po | rf | r; r", "(po | rf)+"),
        ("let rec r = po", "po"),
        ("let rec r = po | r; rf", "r"),
        ('include "other.cat" let r = mine', "(po ; po)"),
        ('include "filters.cat" let r = WR(po)', "(([W] ; po) ; [R])"),
        ("let r = po & 'tag", None),
        ('include "cross.cat" with co from generate_cos(co0) let r = co', "co"),
        ('include "enumerations.cat" with TLBI-after from all-TLBI-Imp_TTD_R-enums(po) let r = po | TLBI-after', "po"),
        ('include "aarch64bbm.cat" let r = po | [TTDV]; co; [TLBUncacheableTTD]', "po"),
        ("let r = po | same-oa(PTE * PTE) | infinite-predecessors(co) * _", "po"),
        ('include "aarch64deps.cat" let r = [Imp & TTD & R]; iico_data; [B] | lws', "(([M] ; (po & loc)) ; [W])"),
        ('include "aarch64deps.cat" let r = lmws | lfs', "(([M] ; (po & loc)) ; [W])"),
        ('include "tlbi-after.cat" with tlbi-after from (pte-tlbi-pairs po) let r = po | tlbi-after', "po"),
        ('include "show-deps.cat" let r = po', "po"),
        ('include "fences.cat" let r = ctrlisync', "((ctrl ; [ISYNC]) ; po)"),
        ("let r = ctrlcfence(ISB)", "((ctrl ; [ISB]) ; po)"),
    ],
)
def test_meaning(tmp_path: Path, text: str, meaning: str | None) -> None:
    (tmp_path / "other.cat").write_text("let mine = po; po\n")
    if meaning is None:
        with pytest.raises(InputError):
            expression(tmp_path, text)
    else:
        assert expression(tmp_path, text) == meaning


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("let r = po | nothing\nacyclic r", 1, 14, "nothing is not defined"),
        ("acyclic po | R", 1, 12, "'|' takes two sets or two relations, not a relation and a set"),
        ("acyclic R; po", 1, 10, "';' takes two relations, not a set and a relation"),
        ("acyclic po * W", 1, 12, "'*' takes two sets, not a relation and a set"),
        ("acyclic [po]", 1, 9, "'[]' takes a set, not a relation"),
        ("acyclic R+", 1, 10, "'+' takes a relation, not a set"),
        ("acyclic R", 1, 1, "'acyclic' takes a relation, not a set"),
        ("let f x = x acyclic f", 1, 13, "a check takes a relation or a set, not a function"),
        ("let f x = x acyclic f(po, rf)", 1, 21, "this function takes 1 arguments, not 2"),
        ("acyclic po po", 1, 9, "this is a relation, not a function"),
        ("acyclic domain R", 1, 9, "this takes a relation, not a set"),
        ("acyclic " + "po; " * 2000 + "po", None, None, "something in this model is nested too deeply"),
        ("acyclic po; [B]", 1, 14, "this needs B, which is not supported: it speaks of events inside an instruction"),
        ("let r = iico_data\n\nacyclic r", 1, 9, "this needs iico_data, which is not supported"),
        ("acyclic po &", 1, 13, "expected a set or a relation, not the end of the file"),
        ("acyclic (po", 1, 12, "expected ')', not the end of the file"),
        ("acyclic po as", 1, 14, "expected the name of the check"),
        ("acyclic po $", 1, 12, "'$' is no sign of the cat language"),
        ("acyclic po (* open", 1, 12, "this comment does not end"),
        ("let rec r = po \\ r acyclic r", 1, 9, "the definition of r has no least solution"),
        ("let rec f x = f x acyclic po", 1, 9, "recursive functions are not supported"),
        ("let rec s = R | s acyclic po", 1, 15, "'|' takes two sets or two relations"),
        ("let f x = x x\nacyclic f(f)", 1, 11, "calls or included files are nested too deeply"),
        ("let f x = x(x) | x(x)\nlet g x = f(x)\nacyclic f(f)", 1, 11, "calls or included files are nested"),
        (
            "let f g = let f2 x = g(g x) in f2\nlet h x = x; x\n" + "let h = f h\n" * 20 + "acyclic h po",
            1,
            24,
            "too often",
        ),
        ('include "model.cat" acyclic po', 1, 1, "calls or included files are nested too deeply"),
        ('acyclic po include "no-such.cat"', 1, 12, "there is no file no-such.cat"),
        ("let r = match po with || {} -> 0 end", 1, 9, "'match' is not supported"),
        ("forall x in R do acyclic po end", 1, 1, "'forall' is not supported"),
        ("instructions R['once]", 1, 1, "'instructions' belongs to bell files"),
        ("enum Tags = 'once || 'twice\nacyclic po & 'once", 2, 14, "this needs 'once, which is not supported"),
        ("let r = po ++ rf", 1, 12, "'++' is not supported"),
        ("let r = {R}", 1, 10, "sets that are written out are not supported"),
        ("with rf from generate_cos(co0)", 1, 1, "'with rf from' is not supported"),
        ("with co from linearisations(W, co0)", 1, 14, "this needs linearisations, which is not supported"),
        ("with co from po", 1, 1, "'with co from' takes generate_cos(...)"),
        ("call thing(po)", 1, 1, "thing is not defined"),
        ("call po(po)", 1, 1, "po is a relation, not a procedure"),
        ("procedure p(x) = acyclic x", 1, 1, "this has no 'end'"),
        ("let (a, b) = po", 1, 5, "definitions of several names at once"),
        ("my new model", 1, 8, "expected an instruction"),
        ("acyclic po empty", 1, 17, "expected a set or a relation"),
        ("let r = " + "(" * 200 + "po", 1, 49, "this is nested too deeply"),
        ("let r = po", None, None, "this model forbids nothing"),
    ],
)
def test_errors(tmp_path: Path, text: str, line: int | None, column: int | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(written(tmp_path, text))
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_an_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'include "other.cat"\nacyclic po', other="let r = po |\n")
    with pytest.raises(InputError, match=r"other\.cat:2:1: error"):
        load(path)


def test_included_files_are_found_in_folders_too(tmp_path: Path) -> None:
    other = tmp_path / "library"
    other.mkdir()
    (other / "mine.cat").write_text("let r = po | rf")
    path = written(tmp_path, 'include "mine.cat"\nacyclic r as r')
    with pytest.raises(InputError, match=r"no file mine\.cat"):
        load(path)
    (axiom,) = load(path, [other]).rules(Isa.C11).axioms
    assert show(axiom.expression) == "(po | rf)"


AARCH64 = """AArch64 mine
include "util.cat"
let lob = addr | data | po; [dmb.full]; po
acyclic po-loc | rf | co | fr as internal
acyclic lob | rfe | coe | fre as external
"""
UTIL = """include "aarch64fences.cat"
include "aarch64deps.cat"
"""
LB_THROUGH_MEMORY = """AArch64 LB
{ 0:X1=x; 0:X2=y; 0:X3=z; 1:X1=x; 1:X2=y; 1:X4=1; }
 P0          | P1          ;
 LDR W0,[X1] | LDR W0,[X2] ;
 STR W0,[X3] | DMB SY      ;
 LDR W4,[X3] | STR W4,[X1] ;
 STR W4,[X2] |             ;
exists (0:X0=1 /\\ 1:X0=1)
"""


@pytest.mark.parametrize(
    ("herd_s", "weak"),
    [
        ("let rec dtrm = rf-reg | lrs | dtrm; dtrm let data = [R]; dtrm; [Rreg]; iico_data; [W]", False),
        ("let dd = rf-reg+ let data = [R]; dd; [DATA]; iico_data; [W]", True),  # of 2020
    ],
)
def test_dependencies_of_aarch64_are_those_of_the_date_of_the_file_that_ours_stands_for(
    tmp_path: Path, herd_s: str, weak: bool
) -> None:
    """Herd computes them from events of registers. Since 2021 they go through memory, too."""
    path = written(tmp_path, AARCH64, util=UTIL, aarch64deps=herd_s, aarch64util=UTIL)  # util includes deps: no circle
    outcomes = litmus(loads(LB_THROUGH_MEMORY, "lb.litmus"), model=str(path))
    assert outcomes.is_satisfied is weak


def test_names_of_processors_mean_their_events(tmp_path: Path) -> None:
    model = load(written(tmp_path, "acyclic [A]; po"))
    shown = {isa: show(model.rules(isa).axioms[0].expression) for isa in (Isa.X86, Isa.AARCH64)}
    assert shown == {Isa.X86: "([RMW] ; po)", Isa.AARCH64: "([A] ; po)"}


def test_the_first_line_names_the_model_and_what_it_is_for(tmp_path: Path) -> None:
    for text, title, isa in (
        ("X86 mine", "mine", Isa.X86),
        ('AArch64 "My model"', "My model", Isa.AARCH64),
        ("PPC", "PPC", Isa.POWER),
        ('"Mine, too" withoutco', "Mine, too", None),
    ):
        model = load(written(tmp_path, text + "\nacyclic po as order"))
        assert (model.title, model.isa) == (title, isa)
        assert model.rules(Isa.C11).axioms[0].name == "order"


SC = "sc\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomic\n"
TSO = """x86 mine
procedure uniproc(com) =
  acyclic po-loc | com as uniproc
end
let com = rf | co | fr
call uniproc(com)
empty rmw & (fre; coe) as atomic
let keeps = po \\ (W * R)
let drains = po; [domain(rmw) | MFENCE] | [range(rmw) | MFENCE]; po
let rec order = keeps | drains | rfe | co | fr | order; order
irreflexive order as tso
"""
PSO = """"My PSO"
include "filters.cat"
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomic
let drains = po; [domain(rmw) | MFENCE] | [range(rmw) | MFENCE]; po
acyclic RM(po) | drains | rfe | co | fr as order
"""
PROGRAMS = {
    "SB": (("Wx1 Ry", "Wy1 Rx"), 3, 4, 4),
    "SB+mfences": (("Wx1 mfence Ry", "Wy1 mfence Rx"), 3, 3, 3),
    "MP": (("Wx1 Wy1", "Ry Rx"), 3, 3, 4),
    "R": (("Wx1 Wy1", "Wy2 Rx"), 3, 4, 4),
    "IRIW": (("Wx1", "Wy1", "Rx Ry", "Ry Rx"), 15, 15, 15),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_models_of_ones_own_count(tmp_path: Path, name: str) -> None:
    texts, *numbers = PROGRAMS[name]
    program = threads(*texts)
    everything = list(candidates(program))
    for text, number in zip((SC, TSO, PSO), numbers, strict=True):
        rules = load(written(tmp_path, text)).rules(program.isa)
        assert sum(is_consistent(rules, each.execution) for each in everything) == number
        assert enumerate_executions(program, rules).executions == number


def test_orders_can_be_restricted(tmp_path: Path) -> None:
    """`with co from`: the orders that extend program order, of those that are there."""
    text = "test withoutco\nwith co from generate_cos(co0 | po-loc)\nacyclic 0 as nothing\nempty 0 \\ po as also\n"
    program = threads("Wx1 Wx2")
    rules = load(written(tmp_path, text)).rules(program.isa)
    assert enumerate_executions(program, rules).executions == 1
    unrestricted = load(written(tmp_path, "with co from generate_cos(co0)\nirreflexive co")).rules(program.isa)
    assert enumerate_executions(program, unrestricted).executions == 2


def test_negated_checks_and_what_is_undefined(tmp_path: Path) -> None:
    text = "~empty rf & ext as communicates\nflag ~empty co as named\nundefined_unless empty fr as stale\n"
    program = threads("Wx1", "Rx")
    rules = load(written(tmp_path, text)).rules(program.isa)
    executions = [each.execution for each in candidates(program)]
    assert all(is_consistent(rules, each) for each in executions)  # a read of the initial value is from outside, too
    assert sorted(raised_flags(rules, each) for each in executions) == [(), ("stale",)]
    assert enumerate_executions(program, rules).executions == 2
    assert [note.name for note in rules.notes] == ["named"]


@pytest.mark.parametrize("seed", range(20))
def test_texts_mean_what_our_own_models_say(tmp_path: Path, seed: int) -> None:
    """The same models, written in both ways, on random programs with barriers and updates."""
    program = random_program(seed, Options(max_events=6))
    for text, name in ((SC, "sc"), (TSO, "tso"), (PSO, "pso")):
        rules = load(written(tmp_path, text)).rules(Isa.X86)
        known = find(name)
        assert known is not None
        ours = enumerate_executions(program, known.rules(Isa.X86)).executions
        assert enumerate_executions(program, rules).executions == ours, name
