// States to be expanded, heaviest first, shared by all workers.
//
// The weight of a state is how much its monitor sees. Where states that see more cover those that see less, expanding
// the heaviest first means that most of the light ones are covered before their turn comes.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace fencepost {

class Frontier {
public:
    struct Item {
        std::uint32_t state;
        std::uint32_t weight;
    };

    Frontier(int workers, std::size_t heaviest) : idle_below_(workers), buckets_(heaviest + 1) {}

    // Hands in what a worker has found, and out what it shall expand next. Nothing comes out once all states are
    // expanded, or after `close`.
    void exchange(std::vector<Item>& found, std::vector<std::uint32_t>& next) {
        std::unique_lock lock(mutex_);
        for (const Item& item : found) {
            buckets_[item.weight].push_back(item.state);
            top_ = std::max<std::size_t>(top_, item.weight);
        }
        waiting_ += found.size();
        found.clear();
        next.clear();
        ++idle_;
        if (waiting_ > 0 || idle_ == idle_below_) changed_.notify_all();
        changed_.wait(lock, [&] { return waiting_ > 0 || idle_ == idle_below_ || closed_; });
        if (waiting_ == 0 || closed_) return;  // and stays idle
        --idle_;
        while (buckets_[top_].empty()) --top_;
        std::deque<std::uint32_t>& heaviest = buckets_[top_];
        const auto count = static_cast<std::ptrdiff_t>(std::min(heaviest.size(), batch));
        next.assign(heaviest.begin(), heaviest.begin() + count);
        heaviest.erase(heaviest.begin(), heaviest.begin() + count);
        waiting_ -= next.size();
    }

    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    static constexpr std::size_t batch = 16;

    const int idle_below_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::deque<std::uint32_t>> buckets_;  // first in, first out: that keeps paths short
    std::size_t top_ = 0;
    std::size_t waiting_ = 0;
    int idle_ = 0;
    bool closed_ = false;
};

}  // namespace fencepost
