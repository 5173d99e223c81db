// The source of a run that people review on a page: this machine, a zip, or a coordinator. The
// routes of the page need only this.
import FarmCore
import FarmReports
import Foundation

/// The source of one run under review, and of the decisions about it.
package protocol ReviewSource: Sendable {
    /// Returns the run as it is now; it may still be open.
    ///
    /// An unchanged run is the same value.
    func run() async throws -> PageRun
    /// Returns a file of the run by its path relative to the output folder, or `nil` if there is
    /// none.
    func file(_ path: String) async throws -> Data?
    /// Returns the decisions that count for the run's pipeline.
    ///
    /// Every open page calls this often.
    func decided() async throws -> DecidedSoFar
    /// Appends decisions; they are durable when this returns.
    func add(_ decisions: [Decision]) async throws
    /// Returns the problem that prevents publishing now, or `nil` if publishing is possible.
    func cannotPublish() async throws -> Problem?
    /// Makes accepted pictures the references, and notes that they are published.
    ///
    /// A repetition does nothing more.
    func publish(by person: String, now: Int64) async throws -> Publication

    /// Returns a thumbnail of a picture file of the run, or `nil` if there is no such file.
    func thumbnail(ofFile path: String) async throws -> Data?
    /// Returns the origin of the reference that a picture was compared with, and the pictures that
    /// were refused in its place, or `nil` if the host has no reference store of the run's
    /// pipeline.
    func baseline(of picture: SnapshotID) async throws -> Baseline?
    /// Returns the pictures of a set, found by its id or the beginning of its id; `set` is `nil`
    /// for the set of the run's pin.
    ///
    /// Returns `nil` if the host has no reference store of the pipeline.
    ///
    /// - Throws: an `ExplainedError` for an unknown set.
    func catalogue(ofSet set: String?) async throws -> SetCatalogue?
    /// Returns a picture of the reference store, or `nil` if there is none.
    func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data?

    /// Returns the pin of the last publication if a person must commit it, or `nil` if no commit is
    /// needed.
    func pinToCommit() async throws -> PagePin?
}

/// The size in which a picture is shown.
package enum PictureForm: Sendable {
    case whole, thumbnail
}

/// The defaults of a desk without a reference store and without a place for thumbnails.
extension ReviewSource {
    package func thumbnail(ofFile path: String) async throws -> Data? { try await file(path) }
    package func baseline(of picture: SnapshotID) async throws -> Baseline? { nil }
    package func catalogue(ofSet set: String?) async throws -> SetCatalogue? { nil }
    package func pinToCommit() async throws -> PagePin? { nil }
    package func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? { nil }
}

extension ReviewSource {
    package func summary() async throws -> RunSummary { try await run().summary }
}

/// The decisions that count for a pipeline, with a number for comparing them.
package struct DecidedSoFar: Sendable {
    package var book: DecisionBook
    /// A number that changes with every decision.
    package var number: Int64

    package init(_ book: DecisionBook = DecisionBook(), number: Int64 = 0) {
        self.book = book
        self.number = number
    }
}
