// Programs for the sanitizer's tests: the first argument says which.
#include <fencepost.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> x, y;
static int plain;

static void store_buffering() {
  std::thread left([] {
    x.store(1, std::memory_order_relaxed);
    plain += y.load(std::memory_order_relaxed) > 1;
  });
  std::thread right([] {
    y.store(1, std::memory_order_release);
    (void)x.load(std::memory_order_acquire);
  });
  left.join();
  right.join();
}

static void race() {
  std::thread other([] { plain = 1; });
  plain = 2;
  other.join();
}

static void message() {  // correct
  std::thread writer([] {
    plain = 42;
    x.store(1, std::memory_order_release);
  });
  while (!x.load(std::memory_order_acquire)) std::this_thread::yield();
  const int seen = plain;
  writer.join();
  if (seen != 42) std::abort();
}

static void deadlock() {
  static std::mutex a, b;
  std::thread other([] {
    std::lock_guard<std::mutex> first(b);
    std::lock_guard<std::mutex> second(a);
  });
  {
    std::lock_guard<std::mutex> first(a);
    std::lock_guard<std::mutex> second(b);
  }
  other.join();
}

static void crash() {
  std::thread other([] { x.store(1); });
  if (x.load() == 1) {
    std::fprintf(stderr, "about to crash\n");
    *static_cast<volatile int *>(nullptr) = 1;
  }
  other.join();
}

static void on_signal(int) {
  x.fetch_add(1, std::memory_order_relaxed);  // in the middle of anything
}

static void signal_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, nullptr);
  std::thread other([] {
    for (int i = 0; i < 20; ++i) y.fetch_add(1);
  });
  for (int i = 0; i < 20; ++i) {
    pthread_kill(other.native_handle(), SIGUSR1);
    y.fetch_add(1);
  }
  other.join();
  if (y.load() != 40) std::abort();
}

static void exit_in_thread() {
  std::thread([] {
    x.store(1);
    std::exit(7);
  }).detach();
  for (;;) std::this_thread::yield();
}

static void detached() {
  static std::atomic<int> over;
  for (int i = 0; i < 8; ++i) std::thread([] { over.fetch_add(1, std::memory_order_release); }).detach();
  while (over.load(std::memory_order_acquire) != 8) std::this_thread::yield();
}

struct AtExit {
  std::vector<int> values{1, 2, 3};
  ~AtExit() {
    x.fetch_add(static_cast<int>(values.size()), std::memory_order_acq_rel);
    std::lock_guard<std::mutex> guard(lock);
    plain += 1;
  }
  static std::mutex lock;
};
std::mutex AtExit::lock;

static void thread_locals() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      thread_local AtExit here;
      here.values.push_back(4);
    });
  for (std::thread &thread : threads) thread.join();
  if (x.load() != 16 || plain != 4) std::abort();
}

static void many_threads() {
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 100; ++i) threads.emplace_back([] { x.fetch_add(1, std::memory_order_relaxed); });
    for (std::thread &thread : threads) thread.join();
  }
  if (x.load() != 1000) std::abort();
}

static void at_once() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 1000; ++i)
    threads.emplace_back([] {
      x.fetch_add(1);
      while (x.load() < 1000) std::this_thread::yield();
    });
  for (std::thread &thread : threads) thread.join();
  if (x.load() != 1000) std::abort();
}

static void forks() {
  std::thread other([] {
    for (int i = 0; i < 50; ++i) x.fetch_add(1);
  });
  const pid_t child = fork();
  if (child == 0) {
    std::thread inside([] { y.fetch_add(1); });
    inside.join();
    _exit(y.load() == 1 ? 0 : 9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  other.join();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::abort();
}

// Copied whole by the one, partly overwritten by the other.
char copied[64], source[64];
static void copies() {
  volatile std::size_t size = sizeof copied;  // not known to the compiler, which would not call anything else
  std::thread one([&] { std::memcpy(copied, source, size); });
  std::thread two([&] { std::memset(copied + 32, 1, size / 2); });
  one.join();
  two.join();
}

// Processes that end in other ways than by main or exit.
static void ends_at_once() {
  race();
  _exit(0);
}
static void ends_quickly() {
  race();
  std::quick_exit(0);
}
static void child_ends_at_once() {
  race();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::abort();  // what the parent has done is not the child's
}

// Sixteen bytes, which some compilers leave to libatomic.
struct alignas(16) Pair {
  long first, second;
};
static std::atomic<Pair> pair;
static void pairs() {
  static long data = 0;
  std::thread writer([] {
    data = 1;
    pair.store(Pair{1, 1}, std::memory_order_release);
  });
  std::thread reader([] {
    while (pair.load(std::memory_order_acquire).first == 0) std::this_thread::yield();
    if (data != 1) std::abort();
  });
  writer.join();
  reader.join();
}

#include <dlfcn.h>  // here, as the tests know the lines above
// dlsym frees its last message when it is asked again.
static void symbols() {
  std::thread other([] {
    for (int i = 0; i < 3; ++i)
      if (dlsym(RTLD_DEFAULT, "there_is_no_such_function")) std::abort();
  });
  other.join();
}

// A word, and a half of it.
static void sizes() {
  static union {
    unsigned long whole;
    unsigned halves[2];
  } word;
  static long data = 0;
  std::thread writer([] {
    data = 1;
    __atomic_store_n(&word.whole, 0x100000001UL, __ATOMIC_RELEASE);
  });
  std::thread reader([] {
    while (__atomic_load_n(&word.halves[1], __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
    if (data != 1) std::abort();
  });
  writer.join();
  reader.join();
}

static void hang() {
  std::thread other([] {
    for (;;) sleep(1000);
  });
  other.join();
}

static void many_locations() {
  const std::size_t count = std::size_t{1} << 24;
  auto *cells = new std::atomic<long>[count]();
  for (std::size_t i = 0; i < count; i += 8) cells[i].fetch_add(1, std::memory_order_relaxed);
  delete[] cells;
}

int main(int count, char **words) {
  const struct {
    const char *name;
    void (*run)();
  } all[] = {{"store_buffering", store_buffering}, {"race", race}, {"message", message}, {"deadlock", deadlock},
             {"crash", crash}, {"signal_handler", signal_handler}, {"exit_in_thread", exit_in_thread},
             {"detached", detached}, {"thread_locals", thread_locals}, {"many_threads", many_threads},
             {"at_once", at_once}, {"forks", forks}, {"hang", hang}, {"many_locations", many_locations},
             {"copies", copies}, {"ends_at_once", ends_at_once}, {"ends_quickly", ends_quickly},
             {"child_ends_at_once", child_ends_at_once}, {"pairs", pairs}, {"sizes", sizes}, {"symbols", symbols}};
  for (const auto &one : all)
    if (count > 1 && std::strcmp(one.name, words[1]) == 0) {
      one.run();
      return count > 2 ? std::atoi(words[2]) : 0;
    }
  std::printf("there is no test of that name\n");
  return 2;
}
