// The decisions of a person about an unfinished merge of pins.
import FarmCore
import FarmFiles
import FarmReferences
import Foundation

/// The three pins of a merge: those of both sides and of their base.
package struct MergeSides {
    package var base: ReferencePin
    package var ours: ReferencePin
    package var theirs: ReferencePin

    package init(base: ReferencePin, ours: ReferencePin, theirs: ReferencePin) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }
}

/// The decisions of an unfinished merge, kept in the clone's `.git`.
package struct MergeChoices {
    private struct File: Codable {
        struct Choice: Codable {
            var side: MergeSide
            var pattern: String
        }
        /// The three pins that are merged; decisions about other pins are ignored.
        var pins: [ObjectID]
        var choices: [Choice]
    }

    /// The decisions of an earlier call about the same three pins.
    package let remembered: [MergeChoice]
    private let path: String
    private let pins: [ObjectID]

    private static let bytesMax = 16 << 20

    package init(_ sides: MergeSides, root: String, environment: [String: String]) throws {
        pins = [sides.base, sides.ours, sides.theirs].map(\.fingerprint)
        let git = GitCommand(folder: root, environment: environment)
        let found = try git.run(["rev-parse", "--git-path", "snapfarm-merge.json"])
        let name = found.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard found.status == 0, !name.isEmpty else {
            throw RefsError.git(doing: "find the .git of \(root)", reason: "git rev-parse failed")
        }
        path = name.hasPrefix("/") ? name : "\(root)/\(name)"
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= Self.bytesMax,
            let file = try? JSONDecoder().decode(File.self, from: bytes), file.pins == pins
        else {
            remembered = []
            return
        }
        remembered = file.choices.map { MergeChoice($0.side, of: $0.pattern) }
    }

    /// Stores the decisions for the next call.
    package func remember(_ choices: [MergeChoice]) throws {
        guard !choices.isEmpty else { return }
        let file = File(
            pins: pins,
            choices: choices.map { File.Choice(side: $0.side, pattern: $0.pattern) }
        )
        try DurableFile.write(try JSONEncoder().encode(file), to: path)
    }

    /// Removes the stored decisions, because the merge is done.
    package func forget() { try? FileManager.default.removeItem(atPath: path) }
}
