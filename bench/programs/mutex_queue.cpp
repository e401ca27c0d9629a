// Producers and consumers, a mutex, a condition variable.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "common.hpp"

static std::mutex mutex;
static std::condition_variable filled;
static std::deque<long> queue;
static long taken = 0;

int main(int count, char** values) {
    arguments(count, values, 60000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) {
            std::unique_lock<std::mutex> lock(mutex);
            if (i % 2 == 0) {
                queue.push_back(k);
                filled.notify_one();
            } else {
                filled.wait(lock, [] { return !queue.empty(); });
                queue.pop_front();
                ++taken;
            }
        }
    });
    return taken == size_wanted * (threads_wanted / 2) ? 0 : 1;
}
