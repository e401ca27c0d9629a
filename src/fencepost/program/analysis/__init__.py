"""Analyses of the program form that several parts share: pure functions, one question per file."""
