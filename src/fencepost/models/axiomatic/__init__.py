"""Axiomatic models: a small algebra of relations, candidate executions, and which of them a set of axioms allows."""
