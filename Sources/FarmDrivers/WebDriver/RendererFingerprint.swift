// The facts on which the pixels of a page depend, apart from the page: browser, flags, fonts,
// machine. Pictures of two fingerprints must not be compared as if only the page could differ.
import FarmCore
import Foundation

/// Collects the facts about what draws the pictures.
struct RendererFingerprint: Sendable {
    var installation: ChromiumInstallation
    var environment: [String: String]
    var isolation: Isolation?

    /// Returns the facts on which the pixels of a page depend, the same on every worker of one
    /// machine; takes a fraction of a second.
    func values() async -> [String: String] {
        let program = (installation.browser as NSString).lastPathComponent
        let version = await output(of: installation.browser, ["--version"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return [
            "architecture": architecture,
            "browser": version.isEmpty ? program : "\(version) \(program)",
            "flags": short(ChromiumFlags.rendering.joined(separator: " ")),
            "fonts": await fonts(),
            "os": system,
        ]
    }

    /// Returns a digest of the fonts' families, styles and versions, not of paths: two machines may
    /// keep the same fonts in different folders.
    private func fonts() async -> String {
        let list = await output(
            of: "fc-list",
            ["--format", "%{family}|%{style}|%{fontversion}|%{index}\\n"]
        )
        let lines = Set(list.split(separator: "\n")).sorted()
        return lines.isEmpty
            ? "unknown" : "\(lines.count) faces, " + short(lines.joined(separator: "\n"))
    }

    private func short(_ text: String) -> String {
        String(Digest(of: Data(text.utf8)).hex.prefix(16))
    }

    /// Returns a small program's standard output; empty if it is missing or fails.
    private func output(of program: String, _ arguments: [String]) async -> String {
        let passed = ["PATH", "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"]
        var child = ChildProcess(
            executable: program,
            arguments: arguments,
            environment: environment.filter { passed.contains($0.key) },
            folder: "/"
        )
        // A font in the user's home is one that no isolated browser has.
        let own = isolation.flatMap { _ in try? OwnedFolder("renderer") }
        defer { own?.remove() }
        if let own {
            child.enclosure = try? isolation?.enclosure(
                in: own.path,
                readable: installation.folders
            )
        }
        child.timeLimitSeconds = 30
        let text = ByteBox()
        let ending = try? await child.run { stream, bytes in
            if stream == .standardOutput { text.append(bytes) }
        }
        return ending == .exited(0) ? String(decoding: text.bytes, as: UTF8.self) : ""
    }

    private var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "other"
        #endif
    }

    /// The operating system's name and version, such as `debian 12`.
    private var system: String {
        guard let text = try? String(contentsOfFile: "/etc/os-release", encoding: .utf8) else {
            return ProcessInfo.processInfo.operatingSystemVersionString
        }
        let words = ["ID=", "VERSION_ID="].compactMap { key in
            text.split(separator: "\n").first { $0.hasPrefix(key) }
                .map { $0.dropFirst(key.count).trimmingCharacters(in: ["\""]) }
        }
        return words.joined(separator: " ")
    }
}
