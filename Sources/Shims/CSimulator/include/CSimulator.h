#pragma once
// What the processes of a simulation share: virtual time, random numbers, the kernel of their sockets, and the queue of
// Swift's runtime. The target CSimulatedCalls makes the C library use them.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Time and random numbers

/// Whether a simulation has begun in this process.
bool simulator_is_active(void);

/// Virtual time in nanoseconds, by a clock that never goes back.
int64_t simulator_now(void);
void simulator_set_now(int64_t nanoseconds);

/// What the wall clock of the running process shows beyond virtual time, in nanoseconds.
int64_t simulator_wall_offset(void);
void simulator_set_wall_offset(int64_t nanoseconds);

/// The next random number for simulated processes (SplitMix64).
uint64_t simulator_next_random(void);
void simulator_set_random(uint64_t state);

// MARK: Jobs

/// Takes a job of Swift's runtime. `due` is in virtual nanoseconds; negative if the job is due now.
typedef void (*simulator_enqueue_function)(void *job, int64_t due);

/// Begins a simulation in this process, which has no way back: the runtime passes its jobs to `enqueue`.
void simulator_begin(simulator_enqueue_function enqueue);

/// Runs a job to its next suspension, as the default executor does.
void simulator_run(void *job);

// MARK: Sockets

/// The first descriptor of simulated sockets and epoll instances. The functions below get only such.
enum { simulator_first_descriptor = 1 << 24 };

/// What the kernel does for simulated sockets; results below zero are negated values of `errno`.
typedef struct {
    int (*epoll_create)(void);
    int (*epoll_control)(int epoll, int operation, int descriptor, uint32_t events, uint64_t data);
    /// Stores up to `limit` pairs of events and data.
    int (*epoll_wait)(int epoll, uint32_t *events, uint64_t *data, int limit);
    ssize_t (*receive)(int descriptor, void *bytes, size_t count);
    ssize_t (*send)(int descriptor, const void *bytes, size_t count);
    int (*shut_down)(int descriptor);
    int (*close)(int descriptor);
} simulator_kernel;

/// From now on these functions serve new epoll instances, and all descriptors from `simulator_first_descriptor` on.
void simulator_set_kernel(simulator_kernel kernel);
/// `NULL` before.
const simulator_kernel *simulator_get_kernel(void);

// MARK: Processes

/// fork(2), which Swift does not offer. Safe, since the simulator has one thread.
pid_t simulator_fork(void);
