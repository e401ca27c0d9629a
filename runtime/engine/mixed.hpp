// Atomic accesses of different sizes that overlap (a word, and a half of it). They are outside the model, and of the
// language; programs do it nevertheless. Each size at each address is a location of its own, and what overlaps is `mixed`: such
// accesses are not checked for robustness, and each is taken to synchronise with those that overlap, in both directions, so that
// nothing is reported that is not there. The user is told once.
#pragma once

#include "engine/location.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

// Whether other atomics overlap; none is locked by it.
bool find_overlapping(std::uintptr_t address, unsigned size);
// There is a new location of that size: it and what overlaps are mixed from now on, if anything has been accessed there. What
// is annotated as no synchronisation passes that on.
void meet_overlapping(std::uintptr_t address, unsigned size);

// Before and after an access to a mixed location, which is not locked.
void release_to_overlapping(ThreadState& thread, const volatile void* address, unsigned size);
void acquire_from_overlapping(ThreadState& thread, const volatile void* address, unsigned size);

}  // namespace fencepost::rt
