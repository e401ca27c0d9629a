/* Annotations for fencepost's sanitizer. Without it they are the plain operations, or nothing at all.

   C11 and C++11, gcc and clang. What each means for the check is told in docs/sanitizer.md; in short:

   fencepost_wait_eq(pointer, value, order)   waits until the atomic object has the value, and returns it; also _ne,
                                              _lt, _le, _gt, _ge. Reading an old value while waiting is no violation,
                                              unless an old value would end the wait.
   fencepost_blocking_cas(pointer, expected, desired, order)            repeats a compare-and-swap until it succeeds
   fencepost_strong_cas(pointer, &expected, desired, success, failure)  one that never fails spuriously
   fencepost_benign_begin(), fencepost_benign_end()   in between, this thread may read old values and go on
   fencepost_not_synchronisation(pointer, size)       nothing depends on the freshness of what is in there

   For atomics of your own making (inline functions around compiler built-ins, say) there are
   fencepost_wait_begin(pointer, comparison, value), fencepost_wait_end() around a loop of loads of *pointer. */

#ifndef FENCEPOST_H
#define FENCEPOST_H

#ifdef __cplusplus
#include <atomic>
#include <type_traits>
#else
#include <stdatomic.h>
#include <stdbool.h>
#endif

/* How a wait compares what it reads (left) with its value (right). */
enum fencepost_comparison {
  FENCEPOST_EQ = 0,
  FENCEPOST_NE = 1,
  FENCEPOST_LT = 2,
  FENCEPOST_LE = 3,
  FENCEPOST_GT = 4,
  FENCEPOST_GE = 5,
  FENCEPOST_CAS = 6,      /* a compare-and-swap that is repeated until it reads the value */
  FENCEPOST_HOLDS = 7,    /* the value is the address of a fencepost_condition */
  FENCEPOST_SIGNED = 16   /* added to one of LT to GE: the numbers have a sign */
};

/* What a wait waits for, where no comparison says it: called for values that are, or were, in the location. */
struct fencepost_condition {
  int (*holds)(const void *context, unsigned long long seen);
  const void *context;
};

#if defined(__FENCEPOST__) || defined(__SANITIZE_THREAD__)
#define FENCEPOST_ANNOTATED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FENCEPOST_ANNOTATED 1
#endif
#endif

#ifdef FENCEPOST_ANNOTATED
/* The runtime's side. Weak: another tool's runtime has none of them. */
#ifdef __cplusplus
extern "C" {
#endif
void __fencepost_wait_begin(const volatile void *address, unsigned size, unsigned comparison,
                            unsigned long long value) __attribute__((weak));
void __fencepost_wait_end(void) __attribute__((weak));
void __fencepost_strong_cas(const volatile void *address) __attribute__((weak));
void __fencepost_benign_begin(void) __attribute__((weak));
void __fencepost_benign_end(void) __attribute__((weak));
void __fencepost_not_synchronisation(const volatile void *address, unsigned long size) __attribute__((weak));
#ifdef __cplusplus
}
#endif
#define FENCEPOST_CALL_(function, arguments) \
  do {                                       \
    if (function) function arguments;        \
  } while (0)
#else
#define FENCEPOST_CALL_(function, arguments) \
  do {                                       \
  } while (0)
#endif

#define fencepost_wait_begin(pointer, comparison, value)                                         \
  FENCEPOST_CALL_(__fencepost_wait_begin, ((pointer), (unsigned)sizeof(*(pointer)), (comparison), \
                                           (unsigned long long)(value)))
#define fencepost_wait_end() FENCEPOST_CALL_(__fencepost_wait_end, ())
#define fencepost_benign_begin() FENCEPOST_CALL_(__fencepost_benign_begin, ())
#define fencepost_benign_end() FENCEPOST_CALL_(__fencepost_benign_end, ())
#define fencepost_not_synchronisation(pointer, size) \
  FENCEPOST_CALL_(__fencepost_not_synchronisation, ((pointer), (unsigned long)(size)))

#ifdef __cplusplus

namespace fencepost {
namespace detail {

template <class T> inline unsigned long long number(T value) { return (unsigned long long)value; }

template <unsigned Comparison, class T> inline bool holds(T seen, T value) {
  switch (Comparison) {
    case FENCEPOST_EQ: return seen == value;
    case FENCEPOST_NE: return seen != value;
    case FENCEPOST_LT: return seen < value;
    case FENCEPOST_LE: return seen <= value;
    case FENCEPOST_GT: return seen > value;
    default: return seen >= value;
  }
}

template <unsigned Comparison, class T> inline T wait(const std::atomic<T> *location, T value, std::memory_order order) {
#ifdef FENCEPOST_ANNOTATED
  constexpr unsigned sign = Comparison >= FENCEPOST_LT && std::is_signed<T>::value ? FENCEPOST_SIGNED : 0;
  FENCEPOST_CALL_(__fencepost_wait_begin, (location, (unsigned)sizeof(T), Comparison | sign, number(value)));
#endif
  T seen;
  do {
    seen = location->load(order);
  } while (!holds<Comparison>(seen, value));
  fencepost_wait_end();
  return seen;
}

template <class T> struct same {
  typedef T type;
};

}  // namespace detail

/* Return what was read. The value may be of any type that converts to the location's. */
#define FENCEPOST_WAIT_(name, comparison)                                                               \
  template <class T>                                                                                    \
  inline T name(const std::atomic<T> *location, typename detail::same<T>::type value,                   \
                std::memory_order order = std::memory_order_acquire) {                                  \
    return detail::wait<comparison, T>(location, value, order);                                         \
  }
FENCEPOST_WAIT_(wait_eq, FENCEPOST_EQ)
FENCEPOST_WAIT_(wait_ne, FENCEPOST_NE)
FENCEPOST_WAIT_(wait_lt, FENCEPOST_LT)
FENCEPOST_WAIT_(wait_le, FENCEPOST_LE)
FENCEPOST_WAIT_(wait_gt, FENCEPOST_GT)
FENCEPOST_WAIT_(wait_ge, FENCEPOST_GE)
#undef FENCEPOST_WAIT_

template <class T>
inline void blocking_cas(std::atomic<T> *location, typename detail::same<T>::type expected,
                         typename detail::same<T>::type desired,
                         std::memory_order order = std::memory_order_acq_rel) {
#ifdef FENCEPOST_ANNOTATED
  FENCEPOST_CALL_(__fencepost_wait_begin,
                  (location, (unsigned)sizeof(T), (unsigned)FENCEPOST_CAS, detail::number(expected)));
#endif
  for (T seen = expected; !location->compare_exchange_weak(seen, desired, order, std::memory_order_relaxed);)
    seen = expected;
  fencepost_wait_end();
}

template <class T>
inline bool strong_cas(std::atomic<T> *location, T *expected, typename detail::same<T>::type desired,
                       std::memory_order success, std::memory_order failure) {
  FENCEPOST_CALL_(__fencepost_strong_cas, (location));
  return location->compare_exchange_strong(*expected, desired, success, failure);
}

template <class T> inline void not_synchronisation(const T &object) {
  static_cast<void>(object);
  fencepost_not_synchronisation(&object, sizeof(T));
}

/* While it lives, this thread may read old values and go on. */
class benign_region {
 public:
  benign_region() { fencepost_benign_begin(); }
  ~benign_region() { fencepost_benign_end(); }
  benign_region(const benign_region &) = delete;
  benign_region &operator=(const benign_region &) = delete;
};

}  // namespace fencepost

#define fencepost_wait_eq(pointer, value, order) (::fencepost::wait_eq((pointer), (value), (order)))
#define fencepost_wait_ne(pointer, value, order) (::fencepost::wait_ne((pointer), (value), (order)))
#define fencepost_wait_lt(pointer, value, order) (::fencepost::wait_lt((pointer), (value), (order)))
#define fencepost_wait_le(pointer, value, order) (::fencepost::wait_le((pointer), (value), (order)))
#define fencepost_wait_gt(pointer, value, order) (::fencepost::wait_gt((pointer), (value), (order)))
#define fencepost_wait_ge(pointer, value, order) (::fencepost::wait_ge((pointer), (value), (order)))
#define fencepost_blocking_cas(pointer, expected, desired, order) \
  (::fencepost::blocking_cas((pointer), (expected), (desired), (order)))
#define fencepost_strong_cas(pointer, expected, desired, success, failure) \
  (::fencepost::strong_cas((pointer), (expected), (desired), (success), (failure)))

#else /* C */

#define FENCEPOST_WAIT_(pointer, operator, comparison, value, order)                       \
  __extension__({                                                                          \
    __auto_type fencepost_location_ = (pointer);                                           \
    __auto_type fencepost_value_ = (value);                                                \
    fencepost_wait_begin(fencepost_location_, (comparison), fencepost_value_);             \
    __auto_type fencepost_seen_ = atomic_load_explicit(fencepost_location_, (order));      \
    while (!(fencepost_seen_ operator fencepost_value_))                                   \
      fencepost_seen_ = atomic_load_explicit(fencepost_location_, (order));                \
    fencepost_wait_end();                                                                  \
    fencepost_seen_;                                                                       \
  })
#define FENCEPOST_SIGN_(value) ((__typeof__((value) + 0)) - 1 < 1 ? (unsigned)FENCEPOST_SIGNED : 0u)

#define fencepost_wait_eq(pointer, value, order) FENCEPOST_WAIT_(pointer, ==, FENCEPOST_EQ, value, order)
#define fencepost_wait_ne(pointer, value, order) FENCEPOST_WAIT_(pointer, !=, FENCEPOST_NE, value, order)
#define fencepost_wait_lt(pointer, value, order) \
  FENCEPOST_WAIT_(pointer, <, FENCEPOST_LT | FENCEPOST_SIGN_(value), value, order)
#define fencepost_wait_le(pointer, value, order) \
  FENCEPOST_WAIT_(pointer, <=, FENCEPOST_LE | FENCEPOST_SIGN_(value), value, order)
#define fencepost_wait_gt(pointer, value, order) \
  FENCEPOST_WAIT_(pointer, >, FENCEPOST_GT | FENCEPOST_SIGN_(value), value, order)
#define fencepost_wait_ge(pointer, value, order) \
  FENCEPOST_WAIT_(pointer, >=, FENCEPOST_GE | FENCEPOST_SIGN_(value), value, order)

#define fencepost_blocking_cas(pointer, expected, desired, order)                                            \
  __extension__({                                                                                            \
    __auto_type fencepost_location_ = (pointer);                                                             \
    __typeof__(atomic_load_explicit(fencepost_location_, memory_order_relaxed)) fencepost_expected_ = (expected), \
                                                                               fencepost_seen_;              \
    fencepost_wait_begin(fencepost_location_, FENCEPOST_CAS, fencepost_expected_);                           \
    do {                                                                                                     \
      fencepost_seen_ = fencepost_expected_;                                                                 \
    } while (!atomic_compare_exchange_weak_explicit(fencepost_location_, &fencepost_seen_, (desired), (order), \
                                                    memory_order_relaxed));                                  \
    fencepost_wait_end();                                                                                    \
  })

#define fencepost_strong_cas(pointer, expected, desired, success, failure)                             \
  __extension__({                                                                                      \
    __auto_type fencepost_location_ = (pointer);                                                       \
    FENCEPOST_CALL_(__fencepost_strong_cas, (fencepost_location_));                                    \
    atomic_compare_exchange_strong_explicit(fencepost_location_, (expected), (desired), (success), (failure)); \
  })

#endif /* C */

#endif /* FENCEPOST_H */
