"""C litmus tests: what statements and functions do, and which are refused."""

from __future__ import annotations

import pytest

from fencepost import litmus
from fencepost.frontends import InputError, loads

CASES = [
    ("int r0, r1 = 3; r0 = r1 > 2 ? 5 : 6;", "0:r0=5"),
    ("int r0 = 0; for (int i = 0; i < 2; i++) { r0 += i; }", "0:r0=1"),
    ("int r0 = 7; do { r0 = r0 - 4; } while (r0 > 0);", "0:r0=-1"),
    ("int r0 = 1; if (r0 == 0) { r0 = 7; } else if (r0 == 1) { r0 = 8; } else { r0 = 9; }", "0:r0=8"),
    ("int r0 = 1; if (r0) return; r0 = 2;", "0:r0=1"),
    ("int r0 = atomic_fetch_sub(x, 1); int r1 = atomic_load(x);", "0:r0=0 /\\ 0:r1=-1"),
    ("atomic_store(x, 5); int r0 = atomic_fetch_or_explicit(x, 8, memory_order_relaxed);", "0:r0=5 /\\ x=13"),
    ("int e = 1; int r0 = atomic_compare_exchange_strong(x, &e, 4);", "0:r0=0 /\\ 0:e=0 /\\ x=0"),
    ("int r0 = __atomic_fetch_add(x, 2, __ATOMIC_ACQ_REL); r0 += __atomic_load_n(x, __ATOMIC_ACQUIRE);", "0:r0=2"),
    ("__atomic_store_n(x, 3, __ATOMIC_RELEASE); int r0 = __atomic_exchange_n(x, 4, 0 ? 0 : 0);", None),
    (
        "__atomic_store_n(x, 3, __ATOMIC_RELEASE); int r0 = __atomic_exchange_n(x, 4, __ATOMIC_RELAXED);",
        "0:r0=3 /\\ x=4",
    ),
    (
        "int e = 0; int r0 = __atomic_compare_exchange_n(x, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);"
        "__atomic_thread_fence(__ATOMIC_SEQ_CST);",
        "0:r0=1 /\\ x=1",
    ),
]


@pytest.mark.parametrize(("body", "condition"), CASES, ids=lambda text: str(text)[:40])
def test_what_a_thread_does(body: str, condition: str | None) -> None:
    text = f"C T\n{{ }}\nP0 (atomic_int* x) {{ {body} }}\nforall ({condition})\n"
    if condition is None:
        with pytest.raises(InputError, match="expected a memory order"):
            loads(text, "t.litmus")
        return
    result = litmus(loads(text, "t.litmus"), model="rc11")
    assert result.is_satisfied, [dict(state.values) for state in result.states]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("goto L;", "'goto' is not supported"),
        ("int r0 = READ_ONCE(*x);", "unsupported function 'READ_ONCE'"),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "a store cannot be memory_order_acquire"),
        ("__atomic_store_n(x, 1, __ATOMIC_ACQUIRE);", "a store cannot be __ATOMIC_ACQUIRE"),
        ("int w = 1; int e; __atomic_compare_exchange_n(x, &e, 1, w, __ATOMIC_RELAXED, __ATOMIC_RELAXED);", "0 or 1"),
        ("__int128 r0 = 0;", "integers of 128 bits are not supported"),
        ("return 1;", "expected ';', found '1'"),
    ],
)
def test_what_is_refused_is_named(body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        loads(f"C T\n{{ }}\nP0 (atomic_int* x) {{ {body} }}\nforall (true)\n", "t.litmus")
