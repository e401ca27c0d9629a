/* The threads of C11 under the sanitizer. CASE, an environment variable, names the case. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
            _Exit(1);                                                       \
        }                                                                   \
    } while (0)

static struct timespec soon(void) {
    struct timespec when;
    timespec_get(&when, TIME_UTC);
    when.tv_nsec += 2000000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        ++when.tv_sec;
    }
    return when;
}

static int negative(void *value) { return *(int *)value - 10; }

static int leaves(void *value) {
    (void)value;
    thrd_exit(-7);
}

static void results(void) {
    int value = 3;
    thrd_t one;
    thrd_t other;
    CHECK(thrd_create(&one, negative, &value) == thrd_success);
    CHECK(thrd_create(&other, leaves, NULL) == thrd_success);
    int result = 0;
    CHECK(thrd_join(one, &result) == thrd_success);
    CHECK(result == -7);
    CHECK(thrd_join(other, &result) == thrd_success);
    CHECK(result == -7);
}

static mtx_t mutex;
static cnd_t condition;
static int shared;

static int adds(void *unused) {
    (void)unused;
    for (int i = 0; i < 5; ++i) {
        CHECK(mtx_lock(&mutex) == thrd_success);
        ++shared;
        CHECK(mtx_unlock(&mutex) == thrd_success);
        thrd_yield();
    }
    return 0;
}

static void mutexes(void) {
    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
    thrd_t threads[3];
    for (int i = 0; i < 3; ++i) CHECK(thrd_create(&threads[i], adds, NULL) == thrd_success);
    for (int i = 0; i < 3; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
    CHECK(shared == 15);
    CHECK(mtx_trylock(&mutex) == thrd_success);
    CHECK(mtx_trylock(&mutex) == thrd_busy);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    CHECK(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success);
    CHECK(mtx_lock(&mutex) == thrd_success);
    CHECK(mtx_lock(&mutex) == thrd_success);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    CHECK(mtx_init(&mutex, mtx_timed) == thrd_success);
    mtx_lock(&mutex);
    const struct timespec when = soon();
    CHECK(mtx_timedlock(&mutex, &when) == thrd_timedout);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
}

static int waits(void *value) {
    mtx_lock(&mutex);
    while (shared == 0) cnd_wait(&condition, &mutex);
    CHECK(shared == 5);
    ++*(int *)value;
    mtx_unlock(&mutex);
    return 0;
}

static void conditions(void) {
    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
    CHECK(cnd_init(&condition) == thrd_success);
    int woken = 0;
    thrd_t one;
    thrd_t other;
    thrd_create(&one, waits, &woken);
    thrd_create(&other, waits, &woken);
    mtx_lock(&mutex);
    shared = 5;
    mtx_unlock(&mutex);
    cnd_broadcast(&condition);
    thrd_join(one, NULL);
    thrd_join(other, NULL);
    CHECK(woken == 2);
    mtx_lock(&mutex);
    const struct timespec when = soon();
    CHECK(cnd_timedwait(&condition, &mutex, &when) == thrd_timedout);
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    cnd_destroy(&condition);
    mtx_destroy(&mutex);
}

static once_flag flag = ONCE_FLAG_INIT;
static int initialised;
static void initialise(void) {
    thrd_yield();
    ++initialised;
}
static int calls(void *unused) {
    (void)unused;
    call_once(&flag, initialise);
    CHECK(initialised == 1);
    return 0;
}

static void once(void) {
    thrd_t threads[3];
    for (int i = 0; i < 3; ++i) thrd_create(&threads[i], calls, NULL);
    for (int i = 0; i < 3; ++i) thrd_join(threads[i], NULL);
}

static atomic_int destroyed;
static tss_t key;
static void destroy(void *value) { atomic_fetch_add(&destroyed, *(int *)value); }
static int sets(void *value) {
    tss_set(key, value);
    CHECK(tss_get(key) == value);
    return 0;
}

static void specific(void) {
    CHECK(tss_create(&key, destroy) == thrd_success);
    int value = 4;
    thrd_t thread;
    thrd_create(&thread, sets, &value);
    thrd_join(thread, NULL);
    CHECK(destroyed == 4);
    tss_delete(key);
}

static atomic_int done;
static int finishes(void *unused) {
    (void)unused;
    atomic_store(&done, 1);
    return 0;
}

static void detached_and_asleep(void) {
    thrd_t thread;
    thrd_create(&thread, finishes, NULL);
    CHECK(thrd_detach(thread) == thrd_success);
    const struct timespec moment = {0, 1000000};
    while (!atomic_load(&done)) CHECK(thrd_sleep(&moment, NULL) == 0);
    const struct timespec nonsense = {0, -1};
    CHECK(thrd_sleep(&nonsense, NULL) == -2);
}

static const struct {
    const char *name;
    void (*body)(void);
} cases[] = {
    {"results", results}, {"mutexes", mutexes},   {"conditions", conditions},
    {"once", once},       {"specific", specific}, {"detached_and_asleep", detached_and_asleep},
};

int main(void) {
    const char *wanted = getenv("CASE");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (wanted == NULL) {
            puts(cases[i].name);
        } else if (strcmp(wanted, cases[i].name) == 0) {
            cases[i].body();
            puts("ok");
            return 0;
        }
    }
    return wanted == NULL ? 0 : 2;
}
