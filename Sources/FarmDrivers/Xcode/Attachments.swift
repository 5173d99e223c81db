// The pictures that tests attached, as `xcresulttool export attachments` writes them: files with
// arbitrary names, and a `manifest.json` that names their tests.
//
// Frameworks attach what they also write as files. So a test's attachments count only if the test
// left no picture in the lease's folders: see `XcodeRun`.
import FarmCore
import Foundation

/// A picture that a test attached.
struct Attachment: Equatable, Sendable {
    var test: TestID
    /// The name that the test gave, without the number and the id that Xcode adds.
    var name: String
    /// The name of the file in the folder of the export.
    var file: String
}

enum Attachments {
    private struct Entry: Decodable {
        struct File: Decodable {
            var exportedFileName: String
            var suggestedHumanReadableName: String?
            var timestamp: Double?
            var repetitionNumber: Int?
            /// The number of the test's repetition, from 1; Xcode leaves it out if the test ran
            /// once.
            var repetition: Int { repetitionNumber ?? 1 }
        }
        var testIdentifier: String?
        var testIdentifierURL: String?
        var attachments: [File]?
    }

    /// Returns the PNG files of a manifest: those of each test's last repetition, in the order in
    /// which they were attached.
    ///
    /// `isPicture` returns whether an exported file of that name is a PNG: Xcode names a file after
    /// the type that the test gave, and untyped data has no ending.
    static func parse(
        _ manifest: Data,
        _ names: XcodeNames,
        isPicture: (String) -> Bool
    ) throws(XcodeError) -> [Attachment] {
        guard let entries = try? JSONDecoder().decode([Entry].self, from: manifest) else {
            throw .resultsUnreadable
        }
        let found = entries.flatMap { entry -> [(test: TestID, file: Entry.File)] in
            guard let test = test(of: entry, names) else { return [] }
            // It does not matter whether a failure goes with it: a picture may be attached before.
            return (entry.attachments ?? []).filter { isPicture($0.exportedFileName) }
                .map { (test, $0) }
        }
        let last = Dictionary(
            found.map { ($0.test, $0.file.repetition) },
            uniquingKeysWith: max
        )
        return found.enumerated().filter { $0.element.file.repetition == last[$0.element.test] }
            .sorted {
                ($0.element.file.timestamp ?? 0, $0.offset)
                    < ($1.element.file.timestamp ?? 0, $1.offset)
            }
            .map { _, found in
                Attachment(
                    test: found.test,
                    name: plainName(
                        found.file.suggestedHumanReadableName ?? found.file.exportedFileName
                    ),
                    file: found.file.exportedFileName
                )
            }
    }

    /// Whether a file begins as a PNG does.
    static func isPicture(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 24)).flatMap(PictureHeader.size(of:)) != nil
    }

    /// Returns the test of an entry, or `nil` if the launch has no such test.
    ///
    /// The identifier lacks the target; the URL,
    /// `test://com.apple.xcode/Project/Target/Class/method`, has it.
    private static func test(of entry: Entry, _ names: XcodeNames) -> TestID? {
        guard let path = entry.testIdentifier else { return nil }
        let depth = path.split(separator: "/").count
        let parts = (entry.testIdentifierURL ?? "").split(separator: "/").map { part in
            String(part).removingPercentEncoding ?? String(part)
        }
        if parts.count > depth,
            let test = names.test(target: parts[parts.count - depth - 1], path: path)
        {
            return test
        }
        return names.test(console: path.replacing("/", with: "."))
    }

    /// Returns the name that the test gave: `Checkout` for `Checkout_0_D7C1….png`.
    static func plainName(_ suggested: String) -> String {
        let name = suggested.withoutPNG ?? suggested
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count > 2, UUID(uuidString: String(parts[parts.count - 1])) != nil,
            Int(parts[parts.count - 2]) != nil
        else { return name }
        return parts.dropLast(2).joined(separator: "_")
    }

    /// Returns the pictures of one test: its captures, and those that show a difference.
    ///
    /// `path` returns the absolute path of an exported file.
    static func pictures(
        of test: TestID,
        _ attachments: [Attachment],
        path: (String) -> String
    ) -> (captures: [CapturedFile], differences: [FrameworkDifference]) {
        let name = XcodeTestName(test)
        let suite = ([name.target] + name.suites).map(fileName).joined(separator: ".")
        let own = fileName(XcodeTestName.plain(name.function))
        var captures: [CapturedFile] = []
        var differences: [FrameworkDifference] = []
        var seen: [String: Int] = [:]
        for attachment in attachments {
            if let role = Role(attachment.name) {
                if differences.last.map({ role.isFree(in: $0) }) != true {
                    let number = differences.isEmpty ? "" : ".\(differences.count + 1)"
                    differences.append(
                        FrameworkDifference(
                            suite: suite,
                            name: own + number,
                            reference: nil,
                            failed: nil,
                            diff: nil
                        )
                    )
                }
                role.set(path(attachment.file), in: &differences[differences.count - 1])
            } else {
                let base = "\(own)_\(fileName(attachment.name))"
                let count = seen[base, default: 0] + 1
                seen[base] = count
                captures.append(
                    CapturedFile(
                        suite: suite,
                        name: count == 1 ? base : "\(base)_\(count)",
                        path: path(attachment.file)
                    )
                )
            }
        }
        return (captures, differences)
    }

    /// Returns a text with letters, digits, `.`, `_` and `-` kept and all else turned into `-`.
    private static func fileName(_ text: String) -> String {
        String(
            text.precomposedStringWithCanonicalMapping.map {
                $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-"
            }
        )
    }

    /// The role of a picture in a comparison that failed, by the names that frameworks use.
    private enum Role {
        case reference
        case failed
        case diff

        init?(_ name: String) {
            switch name.lowercased() {
            case "reference", "reference image": self = .reference
            case "failure", "failed image": self = .failed
            case "difference", "diffed image": self = .diff
            default: return nil
            }
        }

        private var field: WritableKeyPath<FrameworkDifference, String?> {
            switch self {
            case .reference: \.reference
            case .failed: \.failed
            case .diff: \.diff
            }
        }

        func isFree(in difference: FrameworkDifference) -> Bool {
            difference[keyPath: field] == nil
        }

        func set(_ path: String, in difference: inout FrameworkDifference) {
            difference[keyPath: field] = path
        }
    }
}
