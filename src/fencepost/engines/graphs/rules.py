"""A model's axioms, compiled for the core: one list of operations on relations, each sub-expression computed once.

What does not depend on the choice of sources and coherence orders is separated, and so are the axioms that a part of an
execution can already violate for good: those that grow with rf and co.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from fencepost import _core
from fencepost.models.axiomatic.algebra import Axiom, Group, Op, Rules, SetExpr, Test, _Node, parts, show, shrinking
from fencepost.models.axiomatic.execution import BASE_RELATIONS, RELATIONS
from fencepost.models.axiomatic.tags import ALL_TAGS

# The order of the enums in core/graphs/rules.hpp.
_BASES = (
    *("R", "W", "F", "M", "IW", "tag", Op.ALL, Op.EMPTY_SET),
    *(Op.EMPTY, Op.ID, "po", "loc", "int", "ext", "given"),
    *("rf", "co", "fr"),
)
_OPS = (
    *(Op.UNION, Op.INTERSECTION, Op.DIFFERENCE, Op.COMPLEMENT, Op.PRODUCT, Op.ONLY, Op.DOMAIN, Op.RANGE, Op.SEQUENCE),
    *(Op.INVERSE, Op.PLUS, Op.STAR, Op.MAYBE),
)
_FIX, _CHECK = len(_OPS), len(_OPS) + 1
_TESTS = (Test.ACYCLIC, Test.IRREFLEXIVE, Test.EMPTY)
_DYNAMIC = frozenset({"rf", "co", "fr"})

_Key = tuple[object, ...]
_Step = tuple[int, int, int, int, bool]


class UnsupportedRulesError(ValueError):
    """A model that is well-formed but cannot be computed."""


@dataclass
class _Group:
    names: list[int]
    body: list[_Step] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Slot:
    number: int
    dynamic: bool  # depends on rf or co
    open: frozenset[int]  # the groups of which it depends on a bound name


class _Compiler:
    def __init__(self) -> None:
        self.slots: dict[_Key, _Slot] = {}
        self.of_node: dict[int, _Slot] = {}
        self.bases: list[tuple[int, int, int]] = []
        self.groups: list[_Group] = []
        self.group_number: dict[int, int] = {}
        self.fixed: list[_Step] = []
        self.steps: dict[int, _Step] = {}  # dynamic ones, by the slot that they compute
        self.needs: dict[int, tuple[int, ...]] = {}
        self.count = 0

    def new(self, key: _Key, dynamic: bool, open_groups: frozenset[int] = frozenset()) -> _Slot:
        slot = _Slot(self.count, dynamic, open_groups)
        self.count += 1
        self.slots[key] = slot
        return slot

    def compile(self, root: _Node) -> _Slot:
        for node in parts(root):
            if id(node) not in self.of_node:
                self.of_node[id(node)] = self.node(node)
        return self.of_node[id(root)]

    def node(self, node: _Node) -> _Slot:
        match node.op:
            case Op.BASE | Op.BASE_SET | Op.ALL | Op.EMPTY_SET | Op.EMPTY | Op.ID:
                return self.base(node)
            case Op.BOUND | Op.FIX:
                assert node.group is not None
                return self.component(node.group, node.number, solved=node.op is Op.FIX)
        args = [self.of_node[id(arg)] for arg in node.args]
        numbers = [arg.number for arg in args]
        if node.op in (Op.UNION, Op.INTERSECTION):
            numbers.sort()
            if numbers[0] == numbers[1]:
                return args[0]
        key = (node.op, isinstance(node, SetExpr), *numbers)
        if key in self.slots:
            return self.slots[key]
        slot = self.new(key, any(arg.dynamic for arg in args), frozenset[int]().union(*(arg.open for arg in args)))
        of_sets = isinstance(node.args[0], SetExpr)
        step = (_OPS.index(node.op), slot.number, numbers[0], numbers[-1], of_sets)
        self.emit(slot, step, tuple(numbers))
        return slot

    def base(self, node: _Node) -> _Slot:
        name: object = node.op
        number = 0
        if node.op is Op.BASE:
            name = node.name
            if node.name in RELATIONS:
                name, number = "given", RELATIONS.index(node.name)
            elif node.name not in BASE_RELATIONS:
                raise UnsupportedRulesError(f"no relation is called {node.name}")
        elif node.op is Op.BASE_SET:
            name = node.name
            if name not in ("R", "W", "F", "M", "IW"):
                if node.name not in ALL_TAGS:
                    raise UnsupportedRulesError(f"no set of events is called {node.name}")
                name, number = "tag", ALL_TAGS.index(node.name)
        key = ("base", name, number)
        if key not in self.slots:
            slot = self.new(key, name in _DYNAMIC)
            self.bases.append((_BASES.index(name), number, slot.number))
        return self.slots[key]

    def component(self, group: Group, number: int, *, solved: bool) -> _Slot:
        """A bound name, or after its group is solved the solution: the same slot."""
        if id(group) not in self.group_number:
            self.group_number[id(group)] = len(self.groups)
            names = [self.new(("name", id(group), i), True, frozenset({id(group)})) for i in range(len(group.bound))]
            self.groups.append(_Group([name.number for name in names]))
        mine = self.groups[self.group_number[id(group)]]
        if not solved:
            return self.slots["name", id(group), number]
        if not mine.results:
            self.solve(group, mine)
        return self.slots["solved", id(group), number]

    def solve(self, group: Group, mine: _Group) -> None:
        for body in group.bodies:
            _require_growing(body, group)
        bodies = [self.compile(body) for body in group.bodies]
        mine.results = [body.number for body in bodies]
        inner = self.inside(set(mine.results), group)
        mine.body = [self.steps.pop(number) for number in inner]
        outer = {arg for number in inner for arg in self.needs[number]} - set(inner) - set(mine.names)
        still_open = frozenset[int]().union(*(body.open for body in bodies)) - {id(group)}
        index = self.group_number[id(group)]
        # What was computed from the names is not what the same operation on the solution is: not to be found again.
        self.slots = {key: slot for key, slot in self.slots.items() if id(group) not in slot.open}
        for i, name in enumerate(mine.names):
            slot = _Slot(name, True, still_open)
            self.slots["solved", id(group), i] = slot
            step = (_FIX, name, index, index, False)
            self.steps[name] = step
            self.needs[name] = tuple(sorted(outer | (set(mine.results) - set(inner) - set(mine.names))))

    def inside(self, results: set[int], group: Group) -> list[int]:
        """The slots that are computed within the group's iteration, in order."""
        open_slots = {slot.number for slot in self.slots.values() if id(group) in slot.open}
        wanted: set[int] = set()
        todo = [number for number in results if number in open_slots]
        while todo:
            number = todo.pop()
            if number not in wanted and number in self.steps:
                wanted.add(number)
                todo += [arg for arg in self.needs[number] if arg in open_slots]
        return [number for number in self.steps if number in wanted]

    def emit(self, slot: _Slot, step: _Step, needs: tuple[int, ...]) -> None:
        if slot.dynamic or slot.open:
            self.steps[slot.number] = step
            self.needs[slot.number] = needs
        else:
            self.fixed.append(step)

    def schedule(self, checks: Iterable[tuple[int, int]]) -> list[_Step]:
        """Each check (its number, and the slot that it looks at) as early as possible, in the order given."""
        done: set[int] = set()
        steps: list[_Step] = []

        def compute(number: int) -> None:
            if number in done or number not in self.steps:
                return
            done.add(number)
            for arg in self.needs[number]:
                compute(arg)
            step = self.steps[number]
            if step not in steps or step[0] != _FIX:
                steps.append(step)
            if step[0] == _FIX:
                done.update(self.groups[step[2]].names)

        for check, slot in checks:
            compute(slot)
            steps.append((_CHECK, 0, check, 0, False))
        return steps


@cache
def compile_rules(rules: Rules) -> _core.GraphRules:
    """For enumeration. Raises UnsupportedRulesError."""
    return _compiled(rules, enumerating=True)


@cache
def compile_judge(rules: Rules) -> _core.GraphRules:
    """For judging whole executions only, that another model allows."""
    return _compiled(rules, enumerating=False)


def _compiled(rules: Rules, *, enumerating: bool) -> _core.GraphRules:
    compiler = _Compiler()
    checks: list[tuple[int, int, bool, bool]] = []
    pruning: list[tuple[int, int]] = []
    full: list[tuple[int, int]] = []
    for number, axiom in enumerate(rules.axioms):
        test, expression = _simplest(axiom)
        slot = compiler.compile(expression)
        checks.append((_TESTS.index(test), slot.number, isinstance(expression, SetExpr), axiom.negated))
        full.append((number, slot.number))
        if not axiom.negated and slot.dynamic and _grows(expression):
            pruning.append((number, slot.number))
    judged_while_pruning = enumerating and len(pruning) == len(full)
    return _core.GraphRules(
        compiler.count,
        compiler.bases,
        [(group.names, group.body, group.results) for group in compiler.groups],
        checks,
        compiler.fixed,
        compiler.schedule(pruning if enumerating else ()),
        [] if judged_while_pruning else compiler.schedule(full),
    )


def _simplest(axiom: Axiom) -> tuple[Test, _Node]:
    """`irreflexive r+` is `acyclic r`, which is cheaper."""
    if axiom.test is Test.IRREFLEXIVE and axiom.expression.op is Op.PLUS:
        return Test.ACYCLIC, axiom.expression.args[0]
    return axiom.test, axiom.expression


def _grows(root: _Node) -> bool:
    """Whether more pairs in rf and co can only mean more pairs in it (or more events)."""
    changing: set[int] = set()  # nodes that depend on rf or co, or on a bound name
    for node in parts(root):
        below = [*node.args, *(node.group.bodies if node.op is Op.FIX and node.group else ())]
        if (node.op is Op.BASE and node.name in _DYNAMIC) or node.op is Op.BOUND:
            changing.add(id(node))
        elif any(id(arg) in changing for arg in below):
            changing.add(id(node))
            if node.op is Op.COMPLEMENT or (node.op is Op.DIFFERENCE and id(node.args[1]) in changing):
                return False
    return True


def _require_growing(body: _Node, group: Group) -> None:
    """`let rec` means a least solution: no name may stand where more of it means less."""
    node = shrinking(body, group)
    if node is not None:
        raise UnsupportedRulesError(f"in a recursive definition, {show(node)} shrinks when a name grows")
