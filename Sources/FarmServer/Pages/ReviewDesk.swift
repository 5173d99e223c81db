// Where a run lies that people decide about on a page: on this machine, in a zip, or at a
// coordinator. The routes of the page ask no more than this.
import FarmCore
import FarmReports
import Foundation

/// One run under review, and where its decisions are kept.
package protocol ReviewDesk: Sendable {
    /// The run as it is now: it may still go.
    func summary() async throws -> RunSummary
    /// A file of the run by its path relative to the output folder; nil where there is none.
    func file(_ path: String) async throws -> Data?
    /// Of the run's pipeline, in the order they were made.
    func decisions() async throws -> [Decision]
    /// Keeps decisions behind all others: they are durable when this returns.
    func add(_ decisions: [Decision]) async throws
    /// Why nothing can be published now, and what to do; nil where it can.
    func cannotPublish() async throws -> String?
    /// Makes what is accepted the references, and notes it as published; says what it did, for the
    /// top of the page. Doing it again does nothing more.
    func publish(by person: String, now: Int64) async throws -> String
    /// The pin of the last publication, where a person must commit it; nil where nobody must.
    func pinToCommit() async throws -> PagePin?
}

extension ReviewDesk {
    package func pinToCommit() async throws -> PagePin? { nil }
}
