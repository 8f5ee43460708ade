#pragma once
#include "CSimulatedCalls.h"
#include "CSimulator.h"

#include <sys/syscall.h>

/// A system call without the C library.
long raw_call(long number, long a, long b, long c, long d, long e, long f);
