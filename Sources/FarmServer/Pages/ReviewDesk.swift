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
    func cannotPublish() async throws -> String?
    /// Makes what is accepted the references, and notes it as published; says what it did, for the
    /// top of the page. Doing it again does nothing more.
    func publish(by person: String, now: Int64) async throws -> String
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
