// `refs verify`: reads and hashes every object of every set, one at a time, and follows the given
// pins to their pictures. Memory holds one object, and 20 bytes for each object seen.
//
// Unlike `git fsck` it knows the rules of a set: no parents, fixed words, safe names, the subtrees
// that its pin names.
import FarmCore
import FarmGit
import Foundation

/// The result of `refs verify`.
package struct StoreVerification: Sendable, Hashable, Codable {
    /// The largest number of entries in `problems`; further problems are only counted.
    package static let problemsMax = 1_000

    package internal(set) var sets = 0
    package internal(set) var pins = 0
    package internal(set) var trees = 0
    package internal(set) var files = 0
    /// The size of all files that were read, uncompressed, in bytes.
    package internal(set) var bytes = 0
    package internal(set) var problemCount = 0
    package internal(set) var problems: [Problem] = []

    package var isSound: Bool { problemCount == 0 }

    mutating func report(_ code: String, _ message: String, _ remedy: String) {
        problemCount += 1
        guard problems.count < Self.problemsMax else { return }
        problems.append(Problem(code: code, message: message, remedy: remedy))
    }

    /// The result as lines for a terminal.
    package var lines: [String] {
        let head = "\(sets) sets, \(pins) pins, \(files) files, \(bytes) bytes: "
        let verdict = isSound ? "sound" : "\(problemCount) problems"
        let rest = problemCount - problems.count
        return [head + verdict] + problems.map { "\($0.message) \($0.remedy)" }
            + (rest > 0 ? ["… and \(rest) more."] : [])
    }
}

/// A pin and the place that it was read from.
package struct NamedPin: Sendable, Hashable {
    /// The place that the pin was read from, for messages, such as `main:snapfarm.refs`.
    package var name: String
    package var pin: ReferencePin

    package init(name: String, pin: ReferencePin) {
        self.name = name
        self.pin = pin
    }
}

extension ReferenceStore {
    /// Reads and hashes all sets of the store and follows the pins.
    ///
    /// Calls `progress` after each set with the number of files read so far. Problems are in the
    /// result; it throws only if the store cannot be opened or listed.
    package func verify(
        pins: [NamedPin] = [],
        progress: (_ files: Int) -> Void = { _ in }
    ) throws -> StoreVerification {
        let lock = try StoreLock(reading: path)
        defer { withExtendedLifetime(lock) {} }
        let verifier = StoreVerifier(try openRepository())
        for (name, target) in try verifier.repository.references(
            matching: "refs/snapfarm/sets/*"
        ) {
            verifier.verify(set: target, reference: name)
            progress(verifier.result.files)
        }
        for pin in pins { verifier.verify(pin) }
        return verifier.result
    }
}

/// Reads a store and collects its problems.
private final class StoreVerifier {
    let repository: GitRepository
    var result = StoreVerification()
    private var seen = ObjectSet()

    private static let fetch = "Run `snapfarm refs fetch`; if it has none either, restore a copy."

    init(_ repository: GitRepository) { self.repository = repository }

    func verify(set: ObjectID, reference: String) {
        result.sets += 1
        let what = "set \(set.hex.prefix(12))"
        if reference != GitRepository.reference(ofSet: set) {
            result.report(
                "set-misnamed",
                "\(reference) names \(set).",
                "Delete the reference: git -C \(repository.path) update-ref -d \(reference)"
            )
        }
        do {
            let commit = try repository.commit(set)
            try follow(commit.tree, what: what)
            let derived = try repository.pin(ofSet: set).setID
            if derived != set {
                result.report(
                    "set-not-derived",
                    "\(what) is not what its references give (\(derived.hex.prefix(12))).",
                    "Something else than snapfarm wrote it: delete \(reference)."
                )
            }
        } catch {
            report(error, what: what)
        }
    }

    func verify(_ named: NamedPin) {
        result.pins += 1
        do {
            try repository.check(named.pin)
        } catch {
            return report(error, what: named.name)
        }
        for (path, subtree) in named.pin.entries {
            do {
                try follow(subtree, what: "\(named.name): \(path)")
            } catch {
                report(error, what: named.name)
            }
        }
        do {
            let set = named.pin.setID
            let present = try repository.target(of: GitRepository.reference(ofSet: set))
            guard present != set, !named.pin.isEmpty else { return }
            result.report(
                "pin-not-published",
                "\(named.name): its set \(set.hex.prefix(12)) is not visible: prune may take it.",
                "Run `snapfarm refs publish`."
            )
        } catch {
            report(error, what: named.name)
        }
    }

    /// Reads and checks a tree and all objects below it that were not read before.
    private func follow(_ root: ObjectID, what: String) throws {
        var waiting: [(place: String, depth: Int, tree: ObjectID)] = [(what, 0, root)]
        while let next = waiting.popLast() {
            guard seen.insert(next.tree) else { continue }
            guard next.depth <= GitRepository.folderDepthMax else {
                throw GitError.malformed(what: next.place, fact: "too many folders")
            }
            do {
                _ = try hash(next.tree, place: next.place)
                result.trees += 1
                for entry in try repository.entries(of: next.tree, what: next.place) {
                    let place = "\(next.place)/\(entry.name)"
                    checkName(entry.name, place: place)
                    switch entry.kind {
                    case .folder: waiting.append((place, next.depth + 1, entry.object))
                    case .file: file(entry.object, place: place)
                    case .submodule, .other:
                        result.report(
                            "entry-refused",
                            "\(place) is a link or a submodule, not a picture.",
                            "Record the suite again."
                        )
                    }
                }
            } catch {
                report(error, what: next.place)
            }
        }
    }

    private func file(_ object: ObjectID, place: String) {
        guard seen.insert(object) else { return }
        do {
            result.bytes += try hash(object, place: place)
            result.files += 1
        } catch {
            report(error, what: place)
        }
    }

    /// Reads an object, so that libgit2 hashes it; returns its size in bytes.
    private func hash(_ object: ObjectID, place: String) throws -> Int {
        guard let header = try repository.header(of: object) else {
            throw GitError.objectMissing(object, what: place, repository: repository.path)
        }
        // An object that is too large for a picture is not read into memory.
        guard header.bytes <= FarmLimits.pictureBytesMax else {
            throw ReferenceStoreError.pictureTooLarge(object, bytes: header.bytes)
        }
        try repository.rehash(object, what: place)
        return header.bytes
    }

    private func checkName(_ name: String, place: String) {
        guard name != SuiteRecord.fileName else { return }
        // The name of an alternate or companion is longer than that of its picture.
        let name = StoredName(name).map { $0.pictureName } ?? name
        guard let safe = try? PathComponent(name), safe.text.utf8.elementsEqual(name.utf8) else {
            return result.report(
                "name-refused",
                "\(place.debugDescription): the name is not a safe path component.",
                "Record the suite again."
            )
        }
    }

    private func report(_ error: any Error, what: String) {
        switch error {
        case let error as GitError:
            if case .objectMissing = error {
                result.report(error.code, error.message, Self.fetch)
            } else if case .git = error {
                result.report(
                    "store-object-damaged",
                    error.message,
                    "Restore the object from another copy of the store (git fsck names it)."
                )
            } else {
                result.report(error.code, error.message, error.remedy)
            }
        case let error as any ExplainedError:
            result.report(error.code, error.message, error.remedy)
        default:
            result.report("store-unreadable", "\(what): \(error.inWords).", "Check the disk.")
        }
    }
}
