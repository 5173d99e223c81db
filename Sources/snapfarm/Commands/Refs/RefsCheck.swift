// `snapfarm refs check`: for CI. It fails the commit whose pin names references that others cannot
// get, instead of a later commit.
import ArgumentParser
import FarmCore
import FarmGit
import FarmReferences
import FarmRun
import Foundation

struct RefsCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks that the pin names only what the store, or its remote, has.",
        discussion: "Exit 0: all is there; 78: something is missing."
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions

    struct Missing: Encodable {
        /// The suite's path `<cell>/<folder>`, as in the pin.
        var path: String
        var object: ObjectID
        /// The number of the suite's line in the pin, from 1.
        var line: Int
    }

    struct Result: Encodable {
        var store: String
        var complete: Bool
        var set: ObjectID
        /// Whether the set has its own name in the store; it may have none after Git merged the pin
        /// as text.
        var isPublished: Bool
        var missing: [Missing]
        /// The number of pictures that are missing in suites that exist.
        var missingPictures: Int
        /// The fact that the set was pruned, or `nil` if it was not.
        var pruned: PrunedFact?
    }

    func run() throws {
        let place = try options.place()
        let pin = try checkedPin(place)
        let result: Result
        if place.isRemote || remote.remote != nil, let far = try place.remote(remote) {
            let presence = try far.presence(of: pin)
            if !presence.isComplete { try? far.fetchPrunedNote() }
            result = Result(
                store: far.location.description,
                complete: presence.isComplete,
                set: presence.set,
                isPublished: presence.isPublished,
                missing: presence.missing.map {
                    Missing(path: $0.path, object: $0.object, line: $0.line)
                },
                missingPictures: 0,
                pruned: presence.isComplete ? nil : try? far.clone.prunedFact(for: pin)
            )
        } else {
            result = try Self.look(for: pin, in: place.store())
        }
        try options.show(result, lines: Self.lines(result, of: pin))
        guard result.complete else {
            throw ArgumentParser.ExitCode(ExitCode.configuration.rawValue)
        }
    }

    /// Returns the pin; for a submodule whose set was pruned, prints that before it throws.
    private func checkedPin(_ place: ReferencePlace) throws -> ReferencePin {
        guard case .gitlink(let set)? = try place.pinForm() else { return try place.pin() }
        let store = try place.store()
        do {
            return try store.pin(ofSet: set)
        } catch let error as GitError {
            if let fact = try store.prunedFact(ofSet: set) { Console.say(Self.line(fact)) }
            throw error
        }
    }

    private static func look(for pin: ReferencePin, in store: ReferenceStore) throws -> Result {
        var missing: [Missing] = []
        var present = ReferencePin()
        for (index, entry) in pin.entries.enumerated() {
            var one = ReferencePin()
            one[entry.path] = entry.object
            do {
                try store.check(one)
                present[entry.path] = entry.object
            } catch ReferenceStoreError.pinNotInStore {
                missing.append(
                    Missing(
                        path: entry.path.text,
                        object: entry.object,
                        line: 2 * index + 1
                    )
                )
            }
        }
        // The set of an incomplete pin is never written, not even as an object.
        let absent = missing.isEmpty ? try store.describe(present).absent : 0
        let complete = missing.isEmpty && absent == 0
        return Result(
            store: store.path,
            complete: complete,
            set: pin.setID,
            isPublished: try store.sets().contains(pin.setID),
            missing: missing,
            missingPictures: absent,
            pruned: complete ? nil : try store.prunedFact(for: pin)
        )
    }

    private static func lines(_ result: Result, of pin: ReferencePin) -> [String] {
        var lines = result.missing.map {
            "line \($0.line): \"\($0.path)\" is \($0.object.short), which is not in the store"
        }
        if result.missingPictures > 0 {
            lines.append("\(Amount.count(result.missingPictures, "picture")) missing")
        }
        if let fact = result.pruned { lines.append(line(fact)) }
        let suites = Amount.count(pin.entries.count, "suite")
        guard result.complete else {
            return lines + [
                "\(result.store) lacks part of the pin. Push it (snapfarm refs push), "
                    + "or move the pin: snapfarm refs pin move SET."
            ]
        }
        lines.append("\(result.store) has all of the pin: \(suites), set \(result.set.short)")
        if !result.isPublished, !pin.isEmpty {
            lines.append("its set has no name there yet: snapfarm refs publish")
        }
        return lines
    }

    static func line(_ fact: PrunedFact) -> String {
        let nearest = fact.nearest.map { "; the nearest kept set is \($0.short)" } ?? ""
        return "set \(fact.set.short) was pruned on \(fact.dropped.text) "
            + "(\(fact.policy))\(nearest)"
    }
}
