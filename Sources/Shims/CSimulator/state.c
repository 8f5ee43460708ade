#include "CSimulator.h"

#include <unistd.h>

static int64_t now_nanoseconds;
static int64_t wall_offset;
static uint64_t generator;
static simulator_kernel kernel;
static bool has_kernel;

int64_t simulator_now(void) { return now_nanoseconds; }
void simulator_set_now(int64_t nanoseconds) { now_nanoseconds = nanoseconds; }

int64_t simulator_wall_offset(void) { return wall_offset; }
void simulator_set_wall_offset(int64_t nanoseconds) { wall_offset = nanoseconds; }

void simulator_set_random(uint64_t state) { generator = state; }

uint64_t simulator_next_random(void) {
    generator += 0x9E3779B97F4A7C15;
    uint64_t mixed = generator;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

void simulator_set_kernel(simulator_kernel functions) {
    kernel = functions;
    has_kernel = true;
}

const simulator_kernel *simulator_get_kernel(void) { return has_kernel ? &kernel : NULL; }

pid_t simulator_fork(void) { return fork(); }
