// The last step of every command that makes a new set: the journal, the pin, and what to commit.
import FarmCore
import FarmReferences
import Foundation

/// A new set and its changes, for people and as JSON.
package struct AdoptedSet: Encodable {
    package let set: ObjectID
    let base: ObjectID?
    package let title: String
    let changes: ReferenceDiff
    /// The path of the pin, as the caller named it.
    let pinPath: String
    package let pinMoved: Bool

    package init(
        set: ObjectID,
        base: ObjectID?,
        title: String,
        changes: ReferenceDiff,
        pinPath: String,
        pinMoved: Bool
    ) {
        self.set = set
        self.base = base
        self.title = title
        self.changes = changes
        self.pinPath = pinPath
        self.pinMoved = pinMoved
    }

    private enum CodingKeys: String, CodingKey {
        case set
        case base
        case title
        case changes
        case pinPath = "pin"
        case pinMoved
    }

    /// The set's title and changes as lines for a terminal.
    package var lines: [String] { ["set \(set): \(title)"] + changes.lines.map { "  " + $0 } }
}

extension ReferencePlace {
    /// Writes the journal entry of a published set, and moves the pin to it.
    ///
    /// Writes nothing if the pin names these references already.
    package func adopt(
        _ pin: ReferencePin,
        set: ObjectID,
        over base: ReferencePin,
        in store: ReferenceStore,
        reason: String?,
        writesJournal: Bool = true
    ) throws -> AdoptedSet {
        let changes = try store.diff(base, pin)
        let adopted = AdoptedSet(
            set: set,
            base: base.isEmpty ? nil : base.setID,
            title: changes.title,
            changes: changes,
            pinPath: pinPath,
            pinMoved: pin != base
        )
        guard pin != base else { return adopted }
        if writesJournal {
            try store.appendJournal(
                of: pin,
                since: base,
                note: try note(reason: reason),
                cells: cells,
                now: Date()
            )
        }
        try write(pin, set: set)
        return adopted
    }

    private func note(reason: String?) throws -> JournalNote {
        let commit = CheckedOut(around: folder, environment).commit
        let git = GitCommand(folder: folder, environment: environment)
        return JournalNote(
            mainCommit: commit.isEmpty ? nil : commit,
            recorder: try git.setting("user.name"),
            reason: reason
        )
    }

    /// Prints what the user has to push and commit for a new set.
    package func sayWhatToCommit(_ adopted: AdoptedSet, in words: ResultPrinter) {
        guard adopted.pinMoved else { return words.say("nothing changed; the pin stays.") }
        sayWhatIsStale(in: words)
        let word = isRemote ? "push the set (snapfarm refs push) and commit" : "commit"
        words.say("the pin \(pinPath) has moved: \(word) it.")
    }
}

extension ReferencePlace {
    /// Returns the checked-out references that differ from the work tree's new pin.
    ///
    /// Returns none after an error: the list is only a hint, and the pin has moved already.
    package func outdatedCheckouts() -> StaleReferences {
        guard let root = try? workTree().workTree, let pin = try? pin(), let store = try? store(),
            let stale = try? ReferenceCheckout(workTree: root).stale(against: pin, in: store)
        else { return StaleReferences() }
        return stale
    }

    /// Prints the checked-out references that are out of date, with the command that renews them.
    package func sayWhatIsStale(in words: ResultPrinter) {
        for line in outdatedCheckouts().lines { words.say(line) }
    }
}

extension SnapshotID {
    /// Parses a snapshot's id as users write it, with or without `.png`.
    package init(argument text: String) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count >= 3, let cell = parts.first, var name = parts.last else {
            throw RefsError.badSnapshot(text)
        }
        if name.hasSuffix(".png"), name.utf8.count > 4 { name = String(name.dropLast(4)) }
        self = try SnapshotID(
            cell: CellID(cell),
            suite: parts.dropFirst().dropLast().joined(separator: "/"),
            name: name
        )
    }
}
