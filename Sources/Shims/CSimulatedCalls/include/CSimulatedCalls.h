#pragma once
// A program that is linked with this target has these functions of the C library replaced: clock_gettime, gettimeofday,
// time, getrandom, getentropy, arc4random, arc4random_buf, syscall (for random numbers and clocks), and those of sockets
// and epoll that the gateway uses. They do what they always do until a simulation begins (`simulator_begin`).
#include <stdint.h>

/// How often the replaced functions were called in a simulation, to verify that they are.
uint64_t simulated_clock_calls(void);
uint64_t simulated_random_calls(void);
