"""RC20: the C11-style model of observational-robustness-rc20, with relaxed and release/acquire accesses and fences."""
