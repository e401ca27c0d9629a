"""RA: RC20 as if every atomic read were an acquire and every atomic write a release."""

from fencepost.models.axiomatic.algebra import tagged
from fencepost.models.axiomatic.relations import R, W

from .axioms import at_least_acquire, at_least_release, rules
from .axioms import require_supported as require_supported

NA = tagged("NA")

RULES = rules("ra", at_least_acquire | R - NA, at_least_release | W - NA)
