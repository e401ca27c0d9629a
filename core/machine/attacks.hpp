// The system that decides robustness against TSO: the program under SC, in which one thread may delay its stores.
//
// Thesis of Derevenetc, sections 6.1 and 6.2; src/fencepost/models/tso/attacks.py is the version to read, and rules. One
// search serves all attacks: the plain run under SC is common to them. Differences from the reading version, which
// change no verdict (tests/test_tso_differential.py):
// - The attacker's steps that nobody sees (local ones, delayed stores, loads that these hide or that nobody else can
//   write) belong to the step before them. So it always rests before a load that could be the attack's.
// - Until its first such load nobody else moves: what others do there they could have done before the first delay.
// - Once the attack's load is done, others only do what extends the path: witnesses have nothing else after the load
//   (WIT-D). Of a locked block, all does so if some access does: what comes before that is noted (`block_joins`).
// - A delay is dropped as soon as the accesses that are still to come cannot join into a path (`possible`).
//
// configuration.hpp, paths.hpp, reductions.hpp, system.hpp: states; stepping.hpp, attacker.hpp, helpers.hpp,
// local_steps.hpp: the steps of one thread.
#pragma once

#include "machine/attacks/attacker.hpp"
#include "machine/attacks/helpers.hpp"
#include "machine/attacks/local_steps.hpp"
#include "machine/attacks/stepping.hpp"
#include "machine/attacks/system.hpp"
