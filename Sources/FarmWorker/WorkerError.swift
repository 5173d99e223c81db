import FarmCore

/// An error that ends a worker or one of its leases.
package enum WorkerError: ExplainedError {
    /// The lease was lost; its tests were stopped.
    case leaseLost(LeaseID)
    /// The coordinator refused the lease's results; its tests were stopped.
    case leaseRefused(LeaseID, Problem)
    /// The process that started this worker is gone.
    case orphaned
    case scratch(path: String, reason: String)

    package var code: String {
        switch self {
        case .leaseLost: "lease-lost"
        case .leaseRefused: "lease-refused"
        case .orphaned: "worker-orphaned"
        case .scratch: "scratch-failed"
        }
    }
    package var message: String {
        switch self {
        case .leaseLost(let id): "lease \(id) was lost; its tests were stopped."
        case .leaseRefused(let id, let problem):
            "the coordinator refused the results of lease \(id): \(problem.message)"
        case .orphaned: "the run that started this worker is gone."
        case .scratch(let path, let reason): "the scratch folder \(path): \(reason)."
        }
    }
    package var remedy: String {
        switch self {
        case .leaseLost: "Nothing to do: the tests run on another worker."
        case .leaseRefused(_, let problem): problem.remedy
        case .orphaned: "Start the run again with --resume."
        case .scratch: "Free space, or set TMPDIR to a folder on a larger disk."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .leaseLost, .orphaned: .busy
        case .leaseRefused: .internal
        case .scratch: .inputOutput
        }
    }
}
