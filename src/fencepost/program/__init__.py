"""The program form: what a concurrent program is, before any memory model. Imports nothing else of ours."""
