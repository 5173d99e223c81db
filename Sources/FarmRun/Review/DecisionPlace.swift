// Where decisions are kept: in the ledger of a data folder, or at the coordinator of the run.
import FarmCore
import FarmLedger
import Foundation

enum DecisionPlace: Sendable {
    /// The path of a ledger; adding needs the lock of its data folder.
    case ledger(String)

    /// For people.
    var name: String {
        switch self {
        case .ledger(let path): path
        }
    }

    /// Of a pipeline, in the order they were made.
    func all(of pipeline: String) async throws -> [Decision] {
        switch self {
        case .ledger(let path): try SQLiteLedger.decisions(of: pipeline, inFileAt: path)
        }
    }

    /// They are durable when this returns.
    func add(_ decisions: [Decision]) async throws {
        guard !decisions.isEmpty else { return }
        switch self {
        case .ledger(let path):
            let ledger = try SQLiteLedger(path: path)
            defer { try? ledger.close() }
            let most = FarmLimits.decisionsPerCallMax
            for start in stride(from: 0, to: decisions.count, by: most) {
                try await ledger.add(Array(decisions[start...].prefix(most)))
            }
        }
    }
}
