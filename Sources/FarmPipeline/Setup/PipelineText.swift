// Writes the proposed pipeline file as a person would: one key a line, with guesses marked.
import FarmCore

enum PipelineText {
    struct Device: Hashable {
        let name: String
        /// The origin of the device, or `nil` if there is nothing to note.
        let note: String?
        /// Whether the device's size is known; otherwise the device's line is commented out.
        let isKnown: Bool
        /// The device's size in the repository's own configuration, or `nil` for the catalogue's.
        var points: PixelSize?
    }

    static func render(
        name: String,
        devices: [Device],
        languages: [String],
        jobs: [ProposedJob]
    ) -> String {
        var lines = [
            "# Proposed by `snapfarm init`. Look at what is marked as guessed.",
            "# All keys are in snapfarm's docs/keys.md.",
            "version: 1",
            "name: \(YAMLText.scalar(name))",
        ]
        if jobs.contains(where: \.hasReferences) {
            lines.append(
                noted(
                    "references: {store: ../\(name)-references.git, pin: snapfarm.refs}",
                    "guessed: in CI, the URL of a Git repository of its own"
                )
            )
        }
        if !devices.isEmpty {
            lines.append("devices:")
            lines += devices.map(line)
        }
        if languages.count > 1 {
            lines.append("variants:")
            lines.append(noted("  locale: \(YAMLText.list(languages))", "from fastlane"))
        }
        lines.append("jobs:")
        for job in jobs {
            lines.append("  \(job.name):")
            lines += job.entries.map { entry in
                noted("    \(entry.key): \(entry.value)", entry.guess.map { "guessed: \($0)" })
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ device: Device) -> String {
        // The catalogue has no desktop, because browser windows have any size.
        if device.name == "Desktop" {
            return noted("  - {name: Desktop, width: 1280, height: 800, scale: 1}", device.note)
        }
        let name = YAMLText.scalar(device.name)
        if let size = device.points {
            return noted(
                "  - {name: \(name), width: \(size.width), height: \(size.height), scale: 1}",
                device.note
            )
        }
        guard device.isKnown else {
            return "  # - {name: \(name), width: …, height: …, scale: …}   # its size is not known"
        }
        return noted("  - \(name)", device.note)
    }

    private static func noted(_ line: String, _ note: String?) -> String {
        note.map { "\(line)   # \($0)" } ?? line
    }
}
