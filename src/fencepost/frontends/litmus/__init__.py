"""Litmus tests, in the format of herd7 and its companions, for X86, X86_64, AArch64, ARM (version 7), PPC and C.

From text to `Program`:

    sections     the parts of the file, comments blanked      (text, cursor: places and tokens)
    initial      the initial state                            (types; layout: locations and their addresses)
    assembly     columns of instructions, by the table of a machine: x86, aarch64, arm, ppc
                 machine: registers and their views; code: the instructions of one thread in the making
    c/           the functions of a C test
    question     locations, filter and the final condition
    tidy         masks that change nothing go, and so does range that is not needed

What the instructions mean for values is in the tables. What they mean for order is left to the models, which find it
in marks, fence kinds, and the registers that expressions name (see program/form.py). Three things to know:

- A store-conditional may always fail. Only x86's locked instructions, Arm's atomic ones and C's functions make one
  atomic update by themselves.
- Accesses of different sizes to one location are refused, and so are instructions that no table has: nothing is
  skipped. Alignment, endianness and faults play no part.
- A register that the test neither writes nor starts is 0, and so is a location.
"""
