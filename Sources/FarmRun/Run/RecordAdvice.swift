// The warning before a record run on a machine that draws otherwise than the references were drawn:
// its pictures would make each later run elsewhere differ.
import FarmCore
import FarmDrivers
import FarmReferences

struct RecordAdvice: Sendable {
    private let plan: Plan
    private let store: ReferenceStore?

    init(_ plan: Plan, _ prepared: PreparedRun) {
        self.plan = plan
        store = prepared.store
    }

    /// Returns the lines to print: none if this is no record run, or if the machine draws as the
    /// references were drawn, as far as that is known.
    func lines(_ drivers: DriverCatalog) async -> [String] {
        guard plan.mode == .record, !plan.pin.isEmpty, let store else { return [] }
        var lines: [String] = []
        for job in plan.jobs.map(\.job) where job.kind == .snapshot && job.judge == .farm {
            let records = job.cells.map(\.id).flatMap { cell in
                (try? store.suiteRecords(plan.pin, cell: cell))?.values.map(\.self) ?? []
            }
            guard records.contains(where: { !$0.renderer.isEmpty }) else { continue }
            let renderer = await drivers.driver(for: job.driver).renderer()
            let changes = records.compactMap {
                RendererChange(of: $0, job: job.name, after: renderer)
            }
            // A suite that is drawn as here shows that this machine is one of those that record.
            guard let first = changes.first, changes.count == records.count else { continue }
            lines.append(
                "warning: this machine draws otherwise than the references of job \(job.name) were "
                    + "drawn: \(first.words)."
            )
        }
        guard !lines.isEmpty else { return [] }
        return lines + [
            "Pictures that are recorded here differ from those of the machines that drew the "
                + "references. Record on one of them (--coordinator URL), or in the container image "
                + "that your runs use (docs/install.md)."
        ]
    }
}
