import FarmTesting
import Testing

/// What starts the real program, one run at a time.
///
/// Programs wait for each other most of the time, so the three groups run beside each other; each
/// test runs on a thread of its own, since it waits, too.
@Suite("End to end", .serialized, .ownThreads)
enum EndToEnd {}

/// What docs say and what examples of CI providers do.
@Suite("As documented", .serialized, .ownThreads)
enum Documented {}

/// Coordinators and workers of several machines, with their databases, buckets and schedulers.
@Suite("Many machines", .serialized, .ownThreads)
enum ManyMachines {}
