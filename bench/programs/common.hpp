// What the programs of the benchmark share: PROGRAM THREADS SIZE, and threads that begin together.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

inline unsigned threads_wanted = 4;
inline long size_wanted = 0;

inline void arguments(int count, char** values, long size) {
    if (count > 1) threads_wanted = static_cast<unsigned>(std::atoi(values[1]));
    size_wanted = count > 2 ? std::atol(values[2]) : size;
}

template <class Body>
void in_threads(Body body) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < threads_wanted; ++i) threads.emplace_back([i, &body] { body(i); });
    for (std::thread& thread : threads) thread.join();
}

struct Random {
    unsigned long long state;
    explicit Random(unsigned long long seed) : state(seed * 2862933555777941757ULL + 3037000493ULL) {}
    unsigned next() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<unsigned>(state >> 33);
    }
};
