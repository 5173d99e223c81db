// Asks a program for its version.
import FarmCore

/// Finds the version of a program by calling `PROGRAM --version`.
struct VersionProgram {
    private let program: String
    private let environment: [String: String]
    private let folder: String

    init(_ program: String, environment: [String: String], folder: String = "/") {
        self.program = program
        self.environment = environment
        self.folder = folder
    }

    /// Returns the first word of the program's answer that is a version, or the first line if there
    /// is none.
    ///
    /// - Throws: `DriverError` if the program is missing or fails.
    func version() async throws -> String {
        let child = ChildProcess(
            executable: program,
            arguments: ["--version"],
            environment: environment,
            folder: folder
        )
        let bytes = ByteBox()
        let tail = OutputTail()
        let ending = try await child.run { stream, more in
            if stream == .standardOutput { bytes.append(more) }
            tail.append(more)
        }
        guard ending == .exited(0) else {
            throw DriverError.cannotStart(
                program: program,
                reason: "`--version` " + ending.text(limitSeconds: 0)
                    + (tail.lastLines().isEmpty ? "" : ": " + tail.lastLines())
            )
        }
        let text = String(decoding: bytes.bytes, as: UTF8.self)
        return DiscoveredOffers.version(in: text)
            ?? text.split(separator: "\n").first.map(String.init) ?? "of an unknown version"
    }
}
