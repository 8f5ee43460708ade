// The files of the web client, the console and the API documentation, embedded in the program.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file and its content, which lives as long as the program.
struct web_client_file {
    const char *name;
    const void *bytes;
    size_t count;
};

/// All files, in no particular order.
const struct web_client_file *web_client_files(void);

size_t web_client_file_count(void);

#pragma clang assume_nonnull end
