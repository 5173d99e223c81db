// Git's merge driver for pins: `snapfarm refs merge-driver %O %A %B`. Git passes three files and
// takes the second one as the result. Exit code 0 is a merge, 1 a conflict.
//
// Invariants
//   - After a conflict, the written file is never a pin: it contains Git's markers, only around the
//     suites in conflict. Taking the same side of all markers gives a whole pin.
//   - Without a store, or without a suite in it, suites that only one side changed still merge.
import FarmCore
import Foundation

package enum MergeDriver {
    /// The result of a run of the merge driver.
    package struct Outcome: Sendable {
        /// The exit code for Git: 0 for a merge, 1 for a conflict.
        package var exit: Int32
        /// The text that was written to the file of our side.
        package var text: String
        /// The merge, or `nil` if none was needed or a suite in conflict was not in the store.
        package var merge: PinMerge?
        /// The lines that explain the result to people, for standard error.
        package var notes: [String]
    }

    /// Merges `theirs` into the file `ours`, which is replaced.
    ///
    /// An empty file is the empty pin: Git passes one as the base if both sides added the pin.
    ///
    /// - Throws: `ReferencePinError` if a file is not a pin. Then nothing was written, and the
    ///   program must exit with 1, which Git takes as a conflict.
    package static func run(
        base: String,
        ours: String,
        theirs: String,
        store: ReferenceStore?
    ) throws -> Outcome {
        let outcome = try merge(
            base: try pin(in: base),
            ours: try pin(in: ours),
            theirs: try pin(in: theirs),
            store: store
        )
        try MergeFiles.write(Data(outcome.text.utf8), to: ours)
        return outcome
    }

    /// Merges three parsed pins; writes no file.
    package static func merge(
        base: ReferencePin,
        ours: ReferencePin,
        theirs: ReferencePin,
        store: ReferenceStore?
    ) throws -> Outcome {
        let subtrees = PinSubtreeMerge(base: base, ours: ours, theirs: theirs)
        guard !subtrees.undecided.isEmpty else {
            return Outcome(exit: 0, text: subtrees.pin.text, merge: nil, notes: [])
        }
        do {
            guard let store else { throw MissingStore() }
            return try merge(base, ours, theirs, in: store)
        } catch let error as MergeError {
            return undecided(subtrees, ours, theirs, why: error.message)
        } catch let error as any ExplainedError {
            return undecided(subtrees, ours, theirs, why: "\(error)")
        } catch is MissingStore {
            return undecided(
                subtrees,
                ours,
                theirs,
                why: "no reference store is here to merge suites with."
            )
        }
    }

    private struct MissingStore: Error {}

    private static func merge(
        _ base: ReferencePin,
        _ ours: ReferencePin,
        _ theirs: ReferencePin,
        in store: ReferenceStore
    ) throws -> Outcome {
        let merge = try store.merge(base: base, ours: ours, theirs: theirs)
        let notes = merge.renderers.map(\.line)
        guard !merge.isClean else {
            return Outcome(exit: 0, text: merge.pin.text, merge: merge, notes: notes)
        }
        // The merged pin if all conflicts are decided for the other side.
        let other = try store.resolve(merge, choices: [MergeChoice(.theirs, of: "*")])
        let suites = Set(
            merge.conflicts.compactMap {
                SubtreePath(cell: $0.id.cell, folder: $0.id.firstFolder)
            }
        )
        let text = marked(merge.pin, other.pin, in: suites)
        let count = merge.conflicts.count
        let head = "snapfarm: \(count) picture\(count == 1 ? "" : "s") changed on both sides:"
        let lines = merge.conflicts.prefix(Self.listedMax).flatMap(\.lines)
        let rest = count > listedMax ? ["… and \(count - listedMax) more: snapfarm refs merge"] : []
        return Outcome(exit: 1, text: text, merge: merge, notes: [head] + lines + rest + notes)
    }

    /// The largest number of conflicts that the driver lists; `refs merge` lists all.
    private static let listedMax = 20

    private static func undecided(
        _ subtrees: PinSubtreeMerge,
        _ ours: ReferencePin,
        _ theirs: ReferencePin,
        why: String
    ) -> Outcome {
        var other = subtrees.pin
        for path in subtrees.undecided { other[path] = theirs[path] }
        let suites = subtrees.undecided.map { "    \($0)" }
        return Outcome(
            exit: 1,
            text: marked(subtrees.pin, other, in: Set(subtrees.undecided)),
            merge: nil,
            notes: ["snapfarm: \(why)", "Changed on both sides:"] + suites + [Self.next]
        )
    }

    /// The line that names the next step for suites that could not be merged here.
    private static let next =
        "Next: snapfarm refs merge, which fetches what is missing and lists the pictures."

    /// Returns the text of two pins that differ only in `suites`, with Git's conflict markers.
    private static func marked(
        _ ours: ReferencePin,
        _ theirs: ReferencePin,
        in suites: Set<SubtreePath>
    ) -> String {
        func entry(_ pin: ReferencePin, _ path: SubtreePath) -> String {
            pin[path].map { "\(path)\n \($0)\n" } ?? ""
        }
        let paths = Set(ours.entries.map(\.path)).union(suites).sorted()
        return paths.map { path in
            guard suites.contains(path) else { return entry(ours, path) }
            return "<<<<<<< ours\n" + entry(ours, path) + "=======\n" + entry(theirs, path)
                + ">>>>>>> theirs\n"
        }.joined()
    }

    private static func pin(in file: String) throws -> ReferencePin {
        let bytes = try MergeFiles.read(file, bytesMax: ReferencePin.bytesMax)
        return try ReferencePin(parsing: bytes, file: file)
    }
}

extension RendererClash {
    /// The warning for people about a suite that two renderers drew, in one line.
    package var line: String {
        let side = kept == .ours ? "ours" : "theirs"
        return "\(suite): the sides were drawn by different renderers (kept: \(side)); "
            + "record the suite again so that one renderer draws all of it."
    }
}
