// Where a run lies that people decide about on a page: on this machine, in a zip, or at a
// coordinator. The routes of the page ask no more than this.
import FarmCore
import FarmReports
import Foundation

/// One run under review, and where its decisions are kept.
package protocol ReviewDesk: Sendable {
    /// The run as it is now: it may still go. The same value as long as it is the same run.
    func run() async throws -> PageRun
    /// A file of the run by its path relative to the output folder; nil where there is none.
    func file(_ path: String) async throws -> Data?
    /// What counts of the run's pipeline. Every page that is open asks often.
    func decided() async throws -> DecidedSoFar
    /// Keeps decisions behind all others: they are durable when this returns.
    func add(_ decisions: [Decision]) async throws
    /// Why nothing can be published now, and what to do; nil where it can.
    func cannotPublish() async throws -> Problem?
    /// Makes what is accepted the references, and notes it as published. Doing it again does nothing
    /// more.
    func publish(by person: String, now: Int64) async throws -> Publication

    /// A small picture of a file of the run; nil where there is no such file.
    func thumbnail(ofFile path: String) async throws -> Data?
    /// Why a picture is the reference that the run was compared with, with the pictures that were
    /// refused in its place; nil where the host has no reference store of the run's pipeline.
    func baseline(of picture: SnapshotID) async throws -> Baseline?
    /// What a set shows, by its id or the beginning of it; nil: that of the run's pin. Nil as for
    /// ``baseline(of:)``.
    ///
    /// - Throws: an `ExplainedError` for a set that is not there.
    func catalogue(ofSet set: String?) async throws -> SetCatalogue?
    /// A picture of the reference store; nil where there is none.
    func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data?

    /// The pin of the last publication, where a person must commit it; nil where nobody must.
    func pinToCommit() async throws -> PagePin?
}

/// How a picture is shown.
package enum PictureForm: Sendable {
    case whole, thumbnail
}

/// A desk that reaches no reference store and has no place for thumbnails.
extension ReviewDesk {
    package func thumbnail(ofFile path: String) async throws -> Data? { try await file(path) }
    package func baseline(of picture: SnapshotID) async throws -> Baseline? { nil }
    package func catalogue(ofSet set: String?) async throws -> SetCatalogue? { nil }
    package func pinToCommit() async throws -> PagePin? { nil }
    package func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? { nil }
}

extension ReviewDesk {
    package func summary() async throws -> RunSummary { try await run().summary }
}

/// What counts of a pipeline's decisions.
package struct DecidedSoFar: Sendable {
    package var book: DecisionBook
    /// Another number whenever something was decided.
    package var number: Int64

    package init(_ book: DecisionBook = DecisionBook(), number: Int64 = 0) {
        self.book = book
        self.number = number
    }
}
