// Reads a result bundle with xcresulttool, in the form of its Xcode. A bundle that cannot be read
// (a full disk, a killed xcodebuild) costs its messages and attachments, not its launch: the
// console has shown how the tests ended.
import FarmCore
import Foundation

struct BundleReader: Sendable {
    /// The absolute path of the bundle.
    let bundle: String
    let tools: XcodeTools
    let names: XcodeNames
    /// The folder for attachments, or `nil` if they are not wanted.
    let attachments: String?

    struct Reading: Sendable {
        var results: BundleResults
        var attachments: [TestID: [Attachment]] = [:]
    }

    /// Returns the content of the bundle, or `nil` if it cannot be read.
    func read(_ deadline: ContinuousClock.Instant) async throws -> Reading? {
        guard isFolder(bundle) else { return nil }
        do {
            guard tools.version == nil || tools.isAtLeast("16") else { return try await legacy() }
            let json = try await output(["get", "test-results", "tests", "--path", bundle])
            var reading = Reading(results: try ResultTree.results(json, names))
            if let folder = attachments {
                reading.attachments = try await exported(to: folder)
            }
            return reading
        } catch let error as XcodeError {
            tools.note(error.description)
            return nil
        }
    }

    private func output(_ arguments: [String]) async throws -> Data {
        let result = try await tools.quiet.run(
            "xcrun",
            ["xcresulttool"] + arguments,
            seconds: FarmLimits.resultBundleSeconds
        )
        guard result.isGood else {
            throw XcodeError.simctl(
                command: (["xcrun", "xcresulttool"] + arguments).joined(separator: " "),
                ending: result.ending.text(limitSeconds: FarmLimits.resultBundleSeconds),
                output: result.tail
            )
        }
        return Data(result.output)
    }

    /// Exports all attachments: an export of a failure's attachments lacks those made before it.
    private func exported(to folder: String) async throws -> [TestID: [Attachment]] {
        _ = try await output([
            "export", "attachments", "--path", bundle, "--output-path", folder,
        ])
        guard let manifest = FileManager.default.contents(atPath: "\(folder)/manifest.json") else {
            return [:]
        }
        let found = try Attachments.parse(manifest, names) { file in
            !file.contains("/") && Attachments.isPicture("\(folder)/\(file)")
        }
        return Dictionary(grouping: found, by: \.test)
    }

    // MARK: before Xcode 16

    private func legacy() async throws -> Reading {
        var found = LegacyResults(record: try await object(nil))
        for id in found.tests { found.read(plan: try await object(id), names) }
        var reading = Reading(results: found.results)
        guard let folder = attachments else { return reading }
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        for (test, id) in found.summaries {
            let summary = try await object(id)
            for attachment in LegacyResults.attachments(of: summary, test) {
                let file = UUID().uuidString + ".png"
                _ = try await output([
                    "export", "--type", "file", "--id", attachment.payload, "--path", bundle,
                    "--output-path", "\(folder)/\(file)",
                ])
                guard Attachments.isPicture("\(folder)/\(file)") else { continue }
                reading.attachments[test, default: []].append(
                    Attachment(test: test, name: Attachments.plainName(attachment.name), file: file)
                )
            }
        }
        return reading
    }

    private func object(_ id: String?) async throws -> LegacyValue {
        let json = try await output(
            ["get", "--format", "json", "--path", bundle] + (id.map { ["--id", $0] } ?? [])
        )
        guard let value = try? JSONDecoder().decode(LegacyValue.self, from: json) else {
            throw XcodeError.resultsUnreadable
        }
        return value
    }
}
