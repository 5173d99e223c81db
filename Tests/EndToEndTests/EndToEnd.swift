import FarmTesting
import Testing

/// Everything that starts the real program, one at a time: two runs at once would fight for the
/// two cores that time limits of tests are measured on.
@Suite("End to end", .serialized)
enum EndToEnd {}

/// What starts the real program too, one at a time, beside all of those: it waits for other servers
/// most of its time, and none of its limits is close.
@Suite("Many machines", .serialized)
enum ManyMachines {}
