"""Small programs in TPL, for the tests of reports and command line."""

SB = """\
global x, y;
fn left { local a;
  x.store(1, rlx);
  a = y.load(rlx);
}
fn right { local a;
  y.store(1, rlx);
  a = x.load(rlx);
}
"""

MP = """\
global data, flag;
fn writer {
  data.store(1, rlx);
  flag.store(1, rel);
}
fn reader { local b;
  wait(flag, 1, acq);
  b = data.load(rlx);
  assert(b == 1);
}
"""

RACE = """\
na d;
fn p {
  d.nastore(1);
}
fn q { local a;
  a = d.naload();
}
"""

ASSERTION = """\
global x;
fn p {
  x.store(1, rlx);
}
fn q { local a;
  a = x.load(rlx);
  assert(a == 0);
}
"""

DEADLOCK = """\
global m, n;
fn p {
  lock(m);
  lock(n);
  unlock(n);
  unlock(m);
}
fn q {
  lock(n);
  lock(m);
  unlock(m);
  unlock(n);
}
"""


# Robust, and with far more states than anybody waits for.
SLOW = "global x, y, z;\n" + "".join(
    f"fn t{number} {{ local a;\n  again:\n  a = FADD({name}, 1, rlx, rlx);\n  goto again;\n}}\n"
    for number, name in enumerate("xyz")
)
