"""Memory models in herd's `.cat` language: a text becomes the rules of models/axiomatic/algebra.py.

`lexer` and `parser` make a tree (`syntax`), `interpreter` computes the rules from it, with the names in `names` and the
files in `library/`, which are ours. docs/cat.md says what is supported.
"""
