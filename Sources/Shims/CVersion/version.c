#include "CVersion.h"

// Without PARLEY_VERSION in the build's environment (Package.swift) this is the version; deploy/version reads it here.
#ifndef PARLEY_VERSION
#define PARLEY_VERSION "0.1.0-dev"
#endif

const char *parley_version(void) { return PARLEY_VERSION; }
