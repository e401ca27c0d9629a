"""Litmus tests, in the format of herd7 and its companions, for X86, AArch64, ARM, PPC and C."""
