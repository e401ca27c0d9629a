"""What is wrong with a TPL text, and where: every message with its position."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.frontends import InputError, load, loads

HEAD = "max_value 7; global x, y; na d;\n"


def error_of(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        loads(text, "bad.tpl")
    return caught.value


def check(text: str, message: str, hint: str | None) -> None:
    """`text` with the offending place marked by a @ (which is taken out) gives `message` there."""
    before, _, after = text.partition("@")
    assert "@" not in after
    error = error_of(before + after)
    lines = f"{before}|".splitlines()
    assert (error.message, error.line, error.column) == (message, len(lines), len(lines[-1]))
    assert error.file == "bad.tpl"
    if hint is None:
        assert error.hint is None
    else:
        assert hint in (error.hint or "")


# In these, the body of a function with the locals reg and r. The first @ is where the message points to.
IN_A_FUNCTION = [
    # names
    ("r = @x;", "'x' is shared: an expression may only use locals", "r = x.load();"),
    ("r = 1 + @d * 2;", "'d' is shared: an expression may only use locals", "r = d.naload();"),
    ("wait(x, @y);", "'y' is shared: an expression may only use locals", "r = y.load();"),
    ("if (@x == 1) { }", "'x' is shared: an expression may only use locals", "r = x.load();"),
    ("r = @x.load() + 1;", "a load stands alone, not in an expression", "r = x.load(); and then r = r + ...;"),
    ("@x = 5;", "'x' is shared: it cannot be assigned", "x.store(value);"),
    ("@d = 5;", "'d' is shared: it cannot be assigned", "d.nastore(value);"),
    ("r = @qqq;", "there is no local 'qqq'", None),
    ("r = @rge;", "there is no local 'rge'", "did you mean 'reg'?"),
    ("@rge = 1;", "there is no local 'rge'", "did you mean 'reg'?"),
    ("@z.store(1);", "there is no shared location 'z'", None),
    ("r = @z.load();", "there is no shared location 'z'", None),
    ("@r.store(1);", "'r' is a local: store is for shared locations", None),
    ("reg = @r.load();", "'r' is a local: load is for shared locations", None),
    ("FADD(@r, 1);", "'r' is a local: FADD is for shared locations", None),
    ("goto @end; edn: skip;", "there is no label 'end' in this function", "did you mean 'edn'?"),
    ("if (r) goto @end;", "there is no label 'end' in this function", None),
    ("l: skip; @l: skip;", "the label 'l' is already defined in line 4", None),
    ("goto @3;", "expected a label after goto, found '3'", None),
    ("goto @while;", "expected a label after goto, found the keyword 'while'", None),
    # accesses
    ("@d.store(1);", "'d' is non-atomic: store is for atomic locations", "use d.nastore(value)"),
    ("@x.nastore(1);", "'x' is atomic: nastore is for non-atomic locations", "use x.store(value)"),
    ("r = @d.load();", "'d' is non-atomic: load is for atomic locations", "use d.naload()"),
    ("r = @x.naload();", "'x' is atomic: naload is for non-atomic locations", "use x.load()"),
    ("FADD(@d, 1);", "'d' is non-atomic: FADD is for atomic locations", "global d;"),
    ("lock(@d);", "'d' is non-atomic: lock is for atomic locations", "global d;"),
    ("x.@load();", "the value of a load must go to a local", "write r = x.load();"),
    ("r = x.@store(1);", "expected load or naload after 'x.', found 'store' (a store has no result)", None),
    ("r = x.@lod();", "expected load or naload after 'x.', found 'lod'", None),
    ("x.@add(1);", "expected store or nastore after 'x.', found 'add'", None),
    ("r = x.load@;", "expected '(' after load, found ';'", None),
    ("x.store(@);", "expected an expression, found ')'", None),
    ("r = @BCAS(x, 0, 1);", "BCAS has no result", "without 'r ='"),
    ("r = @lock(x);", "lock has no result", "without 'r ='"),
    ("FADD(x@);", "expected ',' and another argument of FADD, found ')'", None),
    ("CAS(x, 0@);", "expected ',' and another argument of CAS, found ')'", None),
    ("BCAS(x, 0, 1, acq, rel@, rlx);", "expected ')' at the end of this BCAS, found ','", None),
    ("wait(x@);", "expected ',' and a value to wait for, found ')'", None),
    ("wait(x, @acq);", "expected an expression, found the keyword 'acq'", None),
    ("wait(x, 1, acq@, 2);", "expected ')' at the end of this wait, found ','", None),
    ("FADD(@1, 1);", "expected a shared location, found '1'", None),
    ("fence(@rlx);", "expected a kind of fence (acq, rel, acq_rel, seq_cst, upd), found 'rlx'", None),
    ("fence(@);", "expected a kind of fence (acq, rel, acq_rel, seq_cst, upd), found ')'", None),
    # orders
    ("r = x.load(@rel);", "the order of a load is rlx or acq, not 'rel'", None),
    ("x.store(1, @acq);", "the order of a store is rlx or rel, not 'acq'", None),
    ("x.store(1, @seq_cst);", "the order of a store is rlx or rel, not 'seq_cst'", "fence(seq_cst);"),
    ("FADD(x, 1, @rel);", "the order of the read of FADD is rlx or acq, not 'rel'", None),
    ("FADD(x, 1, acq, @acq);", "the order of the write of FADD is rlx or rel, not 'acq'", None),
    ("r = CAS(x, 0, 1, @acq_rel);", "the order of the read of CAS is rlx or acq, not 'acq_rel'", None),
    ("wait(x, 1, @rel);", "the order of a wait is rlx or acq, not 'rel'", None),
    ("r = x.load(@1);", "the order of a load is rlx or acq, not '1'", None),
    # punctuation and structure
    ("skip@", "expected ';' after this skip, found '}'", None),
    ("x.store(1)@\n y.store(1);", "expected ';' after this store, found 'y'", None),
    ("r = x.load()@ // a comment\n\n y.store(1);", "expected ';' after this assignment, found 'y'", None),
    ("goto l@ l: skip;", "expected ';' after this goto, found 'l'", None),
    ("if (r) goto l@ } ", "expected ';' after this goto, found '}'", None),
    ("fence@", "expected ';' after this fence, found '}'", None),
    ("verify @r;", "expected '(' after verify, found 'r'", None),
    ("assert(@);", "expected an expression, found ')'", None),
    ("assume(1@;", "expected ')' at the end of this assume, found ';'", None),
    ("r = (1 + 2@;", "expected ')' to close the '(' at 4:8, found ';'", None),
    ("r = 1 +@;", "expected an expression, found ';'", None),
    ("r = @if;", "expected an expression, found the keyword 'if'", None),
    ("r = @rel;", "expected an expression, found the keyword 'rel'", None),
    ("x@;", "expected '=', '.' or ':' after 'x', found ';'", None),
    ("return@;", "expected '=', '.' or ':' after 'return', found ';'", None),
    ("@5;", "expected a statement, found '5'", None),
    ("@else { }", "this 'else' follows no 'if'", None),
    ("if (r) { } else { } @else { }", "this 'else' follows no 'if'", None),
    ("if @{ }", "expected a condition after if, found '{'", None),
    ("if (@) { }", "expected an expression, found ')'", None),
    ("if (r) @skip;", "expected '{' or goto after the condition of this if, found 'skip'", None),
    ("if (r) { } else @skip;", "expected '{' or goto or if after else, found 'skip'", None),
    ("while (r) @skip;", "expected '{' after the condition of this while, found 'skip'", None),
    ("oneof(@);", "expected '{' after oneof, found ')'", None),
    ("oneof({ skip; }@; ", "expected ')' or another block of this oneof, found ';'", None),
    ("skip; @local s;", "locals are declared at the start of the function, before any statement", None),
    ("{ @local s; }", "locals are declared at the start of the function, before any statement", None),
    ("@fn g { }", "a function cannot start here: is a '}' missing before it?", None),
    # characters and numbers
    ("r @+= 1;", "'+=' is not part of the language", "r = r + e;"),
    ("r = 1 @<< 2;", "'<<' is not part of the language", "* 2"),
    ("if (r @=> 1) { }", "'=>' is not part of the language", ">="),
    ("@/* a */", "'/*' is not part of the language", "comments start with //"),
    ("r = @~1;", "'~' is not part of the language", None),
    ("r = @\x07;", "U+0007 is not part of the language", None),
    ("r = @012;", "a number starts with 0", "leave out leading zeros"),
    ("r = @0x12;", "'0x12' is not a number", "decimal"),
    ("r = @9223372036854775808;", "this number does not fit into 64 bits", None),
    ("r = -@9223372036854775809;", "this number does not fit into 64 bits", None),
    (f"r = @{'9' * 5000};", "this number does not fit into 64 bits", None),
]


@pytest.mark.parametrize(("body", "message", "hint"), IN_A_FUNCTION, ids=[body[:40] for body, _, _ in IN_A_FUNCTION])
def test_in_a_function(body: str, message: str, hint: str | None) -> None:
    check(f"{HEAD}fn f {{\n  local reg, r;\n   {body}\n}}\n", message, hint)


AT_THE_TOP = [
    ("global @x; fn f { }", "the shared location 'x' is declared twice", None),
    ("na @x; fn f { }", "the shared location 'x' is declared twice", None),
    ("@max_value 3; fn f { }", "max_value is stated twice", None),
    ("global z = @8; fn f { }", "8 is not a value of this program: values are 0 to 7", None),
    ("na z = @-1; fn f { }", "-1 is not a value of this program: values are 0 to 7", None),
    ("global z = @x; fn f { }", "expected an initial value, found 'x'", None),
    ("global z@ fn f { }", "expected ';' after this global, found 'fn'", None),
    ("global @; fn f { }", "expected a shared location, found ';'", None),
    ("global z, @while; fn f { }", "expected a shared location, found the keyword 'while'", None),
    ("track @zz: all; fn f { }", "there is no shared location 'zz' to track", None),
    ("track x@; fn f { }", "expected ':' after the location to track, found ';'", None),
    ("track x: @; fn f { }", "expected all or a value to track, found ';'", None),
    ("@int z; fn f { }", "expected max_value, global, na, track or fn, found 'int'", None),
    ("fn @{ }", "expected the name of the function, found '{'", None),
    ("fn f @skip; }", "expected '{' after the name of the function, found 'skip'", None),
    ("fn f { } fn @f { }", "the function 'f' is defined twice", None),
    ("fn f { } @;", "expected fn, found ';'", None),
    ("fn f { } @}", "expected fn, found '}'", "is there a '}' too many?"),
    ("fn f { } @global z;", "declarations stand before the first function", None),
    ("fn f @{ skip;", "this '{' is never closed: expected '}' before the end of the file", None),
    ("fn f { if (1) @{ skip;", "this '{' is never closed: expected '}' before the end of the file", None),
    ("fn f @{ { skip; }", "this '{' is never closed: expected '}' before the end of the file", None),
    ("fn f { local @x; }", "the local 'x' has the name of a shared location", None),
    ("fn f { local r, @r; }", "the local 'r' is declared twice", None),
    ("fn f { local r; local @r; }", "the local 'r' is declared twice", None),
    ("fn f { local r = @8; }", "8 is not a value of this program: values are 0 to 7", None),
    ("fn f { local r = @; }", "expected an initial value, found ';'", None),
    ("fn f { local r@ }", "expected ';' after this local, found '}'", None),
    ("fn f { local @rlx; }", "expected a local, found the keyword 'rlx'", None),
    (
        "fn f { } // fine\n  @// ROBUSTNESS egr robust: ra.",
        "this ROBUSTNESS comment cannot be read",
        "egr: robust: ra.",
    ),
    ("@// ROBUSTNESS", "this ROBUSTNESS comment cannot be read", "egr: robust: ra."),
    ("@// ROBUSTNESS egr: maybe: ra.", "this ROBUSTNESS comment cannot be read", "egr: robust: ra."),
    ("@// ROBUSTNESS egr: robust: ra. not", "this ROBUSTNESS comment cannot be read", "egr: robust: ra."),
    ("@// ROBUSTNESS foo: robust: ra.", "'foo' is not a notion of robustness: expected egr or wegr", "wegr"),
    ("@// ROBUSTNESS egr: robust: ra. not: ra.", "'ra' is named twice", None),
    ("@// ROBUSTNESS egr: robust: .", "the name of a model is missing", None),
    ("@// ROBUSTNESS egr: robust: r a.", "'r a' is not the name of a model", None),
]


@pytest.mark.parametrize(("text", "message", "hint"), AT_THE_TOP, ids=[text[:40] for text, _, _ in AT_THE_TOP])
def test_at_the_top(text: str, message: str, hint: str | None) -> None:
    check(HEAD + text, message, hint if hint or "ROBUSTNESS" not in text else "the form is")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_value @2147483648; fn f { }", "max_value is at most 2147483647"),
        ("max_value @-1; fn f { }", "max_value is at least 0"),
        ("max_value @x; fn f { }", "expected the largest value after max_value, found 'x'"),
        ("max_value 7@ fn f { }", "expected ';' after max_value, found 'fn'"),
        ("@a b", "expected max_value, global, na, track or fn, found 'a'"),
        ("fn @", "expected the name of the function, found the end of the file"),
    ],
)
def test_max_value_and_nonsense(text: str, message: str) -> None:
    check(text, message, None)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff"])
def test_empty_file(text: str) -> None:
    error = error_of(text)
    assert str(error) == "bad.tpl: error: the file is empty"
    assert error.render(text) == str(error)


@pytest.mark.parametrize("text", ["// only a comment\n", "global x;", "max_value 3;"])
def test_no_thread(text: str) -> None:
    error = error_of(text)
    assert (error.message, error.line, error.column) == ("there is no thread in this program", None, None)
    assert "fn name { ... }" in (error.hint or "")


# Depth: deep input is refused, not a crash; long input is fine

DEEP = 5000


@pytest.mark.parametrize(
    "body",
    [
        "r = " + "(" * DEEP + "1" + ")" * DEEP + ";",
        "r = " + "!" * DEEP + "r;",
        "r = " + "- " * DEEP + "1;",
        "r = " + "-(" * DEEP + "1" + ")" * DEEP + ";",
        "r = r" + " + r" * DEEP + ";",
        "r = " + "r || r && r | r ^ r & r == r < r + r * (" * DEEP + "r" + ")" * DEEP + ";",
        "{" * DEEP + "}" * DEEP,
        "if (r) {" * DEEP + "}" * DEEP,
        "while (r) {" * DEEP + "}" * DEEP,
        "oneof {" * DEEP + "}" * DEEP,
        "if (r) { } else {" * DEEP + "}" * DEEP,
        "r = " + "(" * DEEP,
        "{" * DEEP,
        "if (" + "(" * DEEP,
    ],
    ids=lambda body: body[:24],
)
def test_deep_nesting_is_refused(body: str) -> None:
    error = error_of(f"{HEAD}fn f {{ local r; {body} }}")
    assert "nested too deeply: more than 100 levels" in error.message


def test_a_wait_for_very_many_values_is_refused() -> None:
    error = error_of(f"global x; fn f {{ wait(x, {', '.join(map(str, range(200)))}); }}")
    assert error.message == "a wait for more than 99 values"


def test_long_input_is_read() -> None:
    chain = "if (r == 0) { }" + "".join(f" else if (r == {number}) {{ r = 1; }}" for number in range(2000))
    body = "l0: " + "".join(f"goto l{number}; l{number}: r = {number % 8};" for number in range(1, 2000))
    labels = "".join(f"m{number}: " for number in range(2000))
    program = loads(f"{HEAD}fn f {{ local r; {chain} {body} {labels} }}", "long.tpl")
    assert len(program.threads[0].code) > 5000


def test_ninety_levels_are_read() -> None:
    loads(f"fn f {{ local r; r = {'(' * 90}1{')' * 90}; {'{' * 90}{'}' * 90} r = r{' + 1' * 90}; }}", "deep.tpl")


# What the user sees


def test_rendered_error() -> None:
    text = "global x;\nfn f {\n\tlocal r;\n\tr = x;\n}\n"
    assert error_of(text).render(text) == (
        "bad.tpl:4:6: error: 'x' is shared: an expression may only use locals\n"
        "    \tr = x;\n"
        "    \t    ^\n"
        "hint: load it into a local first, as in r = x.load();"
    )
    assert error_of(text).render() == (
        "bad.tpl:4:6: error: 'x' is shared: an expression may only use locals\n"
        "hint: load it into a local first, as in r = x.load();"
    )


def test_rendered_error_at_the_end_of_the_file() -> None:
    text = "fn f { x.store(1"
    assert error_of("global x; " + text).render("global x; " + text).splitlines()[1:] == [
        "    global x; fn f { x.store(1",
        "                              ^",
    ]


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = "fn f { \x1b[2J }"
    assert "\x1b" not in error_of(text).render(text)


# Files


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "nothing.tpl"
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: error: cannot read the file: No such file or directory"


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory, not a program"):
        load(tmp_path)


def test_impossible_path() -> None:
    with pytest.raises(InputError, match="cannot read the file"):
        load("a\0b.tpl")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_not_utf8(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "latin.tpl"
    path.write_bytes(mark + b"fn f {\n// caf\xe9\n}\n")
    with pytest.raises(InputError) as caught:
        load(path)
    error = caught.value
    assert (error.message, error.line, error.column) == ("byte 0xe9 is not UTF-8 text", 2, 7)


def test_unknown_language() -> None:
    with pytest.raises(InputError) as caught:
        loads("hello", "greeting.md")
    assert caught.value.message == "cannot tell which language this is"
    assert "tpl (.tpl)" in (caught.value.hint or "")
    with pytest.raises(InputError, match="there is no input language 'basic'"):
        loads("fn f { }", "a.tpl", language="basic")
