"""Enumeration of consistent execution graphs in the core (core/graphs)."""
