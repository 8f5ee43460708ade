#include "CSimulator.h"

// The runtime's hooks, as libswift_Concurrency exports them. `original` is what they replace.
#define SWIFT __attribute__((swiftcall))
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long delay, void *job, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job, void *original);
extern SWIFT void (*swift_task_enqueueMainExecutor_hook)(void *job, void *original);

typedef struct {
    void *identity;
    uintptr_t implementation;
} executor;
extern SWIFT void swift_job_run(void *job, executor executor);

static simulator_enqueue_function enqueue_job;

bool simulator_is_active(void) { return enqueue_job != NULL; }

static SWIFT void enqueue(void *job, void *original) { enqueue_job(job, -1); }

static SWIFT void enqueue_after(unsigned long long delay, void *job, void *original) {
    enqueue_job(job, simulator_now() + (int64_t)delay);
}

static SWIFT void enqueue_at(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job, void *original) {
    // Both of Swift's clocks show virtual time. A deadline beyond what 64 bits hold is never reached.
    int64_t due;
    if (__builtin_mul_overflow(seconds, 1000000000LL, &due) || __builtin_add_overflow(due, nanoseconds, &due)) {
        due = INT64_MAX;
    }
    enqueue_job(job, due < 0 ? 0 : due);
}

void simulator_begin(simulator_enqueue_function enqueue_function) {
    enqueue_job = enqueue_function;
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_after;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_at;
    swift_task_enqueueMainExecutor_hook = enqueue;
}

void simulator_run(void *job) {
    executor generic = {0, 0};
    swift_job_run(job, generic);
}
