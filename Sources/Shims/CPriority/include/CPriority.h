#pragma once

/// Sets the lowest nice value that a thread of this process can get by setpriority(2); 0 or less allows every value.
///
/// Each worker thread of libdispatch gives itself the nice value of its queue when it begins, which is 0 for those of Swift's
/// concurrency. With the right to lower a nice value (root, CAP_SYS_NICE) that would undo the nice value of the process.
void parley_set_lowest_nice(int nice);
