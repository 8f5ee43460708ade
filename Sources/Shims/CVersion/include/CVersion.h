// The version that the build was given. In C, so that another version compiles this file and nothing else.
#pragma once

/// "1.2.3", or "0.1.0-dev" if the build was given none.
const char *parley_version(void);
