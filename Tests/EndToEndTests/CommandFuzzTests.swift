import FarmTesting
import Foundation
import Testing

@Suite("Command lines, variables and configuration files of strangers")
struct CommandFuzzTests {
    /// The number of calls; `SNAPFARM_FUZZ_COMMANDS` sets it.
    private static let tries =
        ProcessInfo.processInfo.environment["SNAPFARM_FUZZ_COMMANDS"].flatMap { Int($0) } ?? 2_000

    @Test("end with a code of the table and words for people, and never by a signal")
    func fuzz() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fuzzing/commands.py").path
        let seed = SeededGenerator.announced().seed
        let ending = try TestProcess.run(
            ["python3", script, Program.path, "--tries", "\(Self.tries)", "--seed", "\(seed)"],
            seconds: Double(Self.tries)
        )
        #expect(ending.status == 0, "\(ending.output.suffix(5_000))\(ending.said)")
        #expect(ending.output.contains("\(Self.tries) tries"), "\(ending.output.suffix(500))")
    }
}
