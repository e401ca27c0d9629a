#include <set>
#include <string>
#include <vector>

#include "schedule/explore.hpp"
#include "testing.hpp"

using namespace fencepost::sched;

namespace {

struct Explored {
    int complete = 0;
    int redundant = 0;
    std::set<std::string> orders;
};

// Threads of accesses like "Wx", explored in one process.
Explored explore(const std::vector<std::vector<std::string>>& threads) {
    static Explorer explorer;
    if (!explorer.on()) explorer.create();
    explorer.restart();
    static const char places[256] = {};
    Explored result;
    do {
        explorer.begin();
        std::vector<Task> tasks(threads.size());
        std::vector<std::size_t> done(threads.size());
        std::string order;
        Task* current = nullptr;
        for (;;) {
            std::vector<Task*> ready;
            for (std::size_t i = 0; i < threads.size(); ++i) {
                if (done[i] == threads[i].size()) continue;
                const std::string& access = threads[i][done[i]];
                tasks[i].id = static_cast<int>(i);
                tasks[i].pending = {Point::Load, &places[static_cast<unsigned char>(access[1])], access[0] == 'W'};
                ready.push_back(&tasks[i]);
            }
            if (ready.empty()) {
                ++result.complete;
                result.orders.insert(order);
                break;
            }
            current = explorer.pick(ready.data(), static_cast<int>(ready.size()), current);
            if (current == nullptr) {
                CHECK(explorer.trouble() == nullptr);
                ++result.redundant;
                break;
            }
            order += static_cast<char>('0' + current->id);
            ++done[static_cast<std::size_t>(current->id)];
        }
    } while (explorer.advance());
    return result;
}

}  // namespace

TEST("exploration runs one schedule of those that differ only in the order of independent steps") {
    CHECK(explore({{"Wx", "Ry"}, {"Wy", "Rx"}}).complete == 3);    // SB: x and y each in both orders, but for the cycle
    CHECK(explore({{"Wx", "Wx"}, {"Wx", "Wx"}}).complete == 6);    // all interleavings
    CHECK(explore({{"Rx", "Rx"}, {"Rx", "Rx"}}).complete == 1);    // none matters
    CHECK(explore({{"Wx"}, {"Wy"}, {"Wz"}}).complete == 1);
    CHECK(explore({{"Wx"}, {"Rx"}, {"Rx"}}).complete == 4);        // each reader before or after the writer
    CHECK(explore({{"Wx", "Wy"}, {"Ry", "Rx"}}).complete == 3);    // MP
    CHECK(explore({{"Wx"}, {"Wy"}, {"Rx", "Ry"}, {"Ry", "Rx"}}).complete == 15);  // IRIW: 16 outcomes but the weak one
}

TEST("exploration never runs a schedule twice") {
    const Explored explored = explore({{"Wx", "Ry", "Wz"}, {"Wy", "Rx", "Rz"}, {"Wz", "Wx"}});
    CHECK(static_cast<int>(explored.orders.size()) == explored.complete);
}

TEST("choices of the program are explored too") {
    Explorer explorer;
    explorer.create();
    std::set<int> seen;
    int runs = 0;
    do {
        explorer.begin();
        const int first = explorer.choose(3);
        const int second = first == 1 ? explorer.choose(2) : 0;
        seen.insert(first * 10 + second);
        ++runs;
    } while (explorer.advance());
    CHECK(runs == 4);
    CHECK(seen == std::set<int>({0, 10, 11, 20}));
}
