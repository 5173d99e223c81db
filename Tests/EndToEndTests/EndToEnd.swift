import FarmTesting
import Testing

/// Everything that starts the real program, one at a time: two runs at once would fight for the
/// two cores that time limits of tests are measured on.
@Suite("End to end", .serialized)
enum EndToEnd {}
