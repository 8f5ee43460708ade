#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the arguments of a command line, and never returns once it has found a crash.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
