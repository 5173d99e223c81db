import Testing

// Swift Testing may start both at once, or one after the other: its console shows it.
struct OrderTests {
    @Test
    func first() async throws { try await Task.sleep(for: .milliseconds(200)) }

    @Test
    func second() async throws { try await Task.sleep(for: .milliseconds(200)) }
}
