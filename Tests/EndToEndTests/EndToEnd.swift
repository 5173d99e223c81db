import FarmTesting
import Testing

/// Tests that start the real program, one run at a time.
///
/// Programs mostly wait for each other, so the three groups run in parallel. Each test blocks, so
/// it runs on a thread of its own.
@Suite("End to end", .serialized, .ownThreads)
enum EndToEnd {}

/// Tests of the documentation's commands and of the examples for CI providers.
@Suite("As documented", .serialized, .ownThreads)
enum Documented {}

/// Tests of coordinators and workers on several machines, with their databases, buckets and
/// schedulers.
@Suite("Many machines", .serialized, .ownThreads)
enum ManyMachines {}
