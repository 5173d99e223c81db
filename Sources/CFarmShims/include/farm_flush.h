#pragma once
// Calls that the Swift overlay of the C library does not show.

// Returns 0 once all bytes of the file system that `descriptor` lies on would survive a power cut;
// else -1 with errno. Off Linux it flushes that one file only.
int farm_flush_file_system(int descriptor);
