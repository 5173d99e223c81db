// The verdicts of a job that make a run red.

extension Job {
    /// Whether a verdict about one of the job's tests or pictures makes a run red.
    package func isRed(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .passed, .inherited: false
        case .flaky: flaky == .fail
        case .new: new == .fail
        case .moved: moved == .fail
        case .changed, .missing, .unreached, .failed, .errored: true
        }
    }

    func ownsReferences(of cell: CellID) -> Bool {
        kind == .snapshot && judge == .farm && cells.contains { $0.id == cell }
    }
}
