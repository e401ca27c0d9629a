"""Cheapest choices under clauses, against all choices."""

from fractions import Fraction
from itertools import combinations
from random import Random

from fencepost.fences.optimum import Choice, Clause, all_of_cost, cheapest


def choices(count):
    return [Choice(items) for size in range(count + 1) for items in combinations(range(count), size)]


def total(chosen, costs):
    return sum((costs[item] for item in chosen), Fraction(0))


def random_clauses(random, count):
    for _ in range(random.randint(0, 8)):
        items = random.sample(range(count), random.randint(1, min(count, 4)))
        unwanted = random.choice([0, 0, 0, 1, len(items)])
        yield Clause(Choice(items[unwanted:]), Choice(items[:unwanted]))


def test_cheapest_and_all_of_them():
    solvable = 0
    for seed in range(1500):
        random = Random(seed)
        count = random.randint(1, 8)
        costs = [Fraction(random.randint(1, 5)) for _ in range(count)]
        clauses = list(random_clauses(random, count))
        good = [chosen for chosen in choices(count) if all(clause.allows(chosen) for clause in clauses)]
        found = cheapest(clauses, costs)
        if not good:
            assert found is None, seed
            continue
        solvable += 1
        least = min(total(chosen, costs) for chosen in good)
        assert found in good, seed
        assert total(found, costs) == least, seed
        expected = {chosen for chosen in good if total(chosen, costs) == least}
        listed = list(all_of_cost(clauses, costs, least))
        assert set(listed) == expected, seed
        assert len(listed) == len(expected), seed
    assert solvable > 1000


def test_large_independent_groups():
    """Twenty groups of which one item each is needed: quick, because groups are solved apart."""
    clauses = [
        Clause(Choice({base, base + 1, base + (2 if part else 3)})) for base in range(0, 80, 4) for part in range(2)
    ]
    costs = [Fraction(1 + item % 4) for item in range(80)]
    assert cheapest(clauses, costs) == Choice(range(0, 80, 4))


def test_a_fence_that_does_harm():
    """Item 0 helps with the first clause, but then 1 is needed as well: 2 is cheaper than both."""
    clauses = [Clause(Choice({0, 2})), Clause(Choice({1}), Choice({0}))]
    assert cheapest(clauses, [Fraction(1), Fraction(2), Fraction(2)]) == Choice({2})
