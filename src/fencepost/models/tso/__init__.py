"""TSO, the memory model of x86: a store buffer per thread. MODEL.md says which rule is where."""
