// The metrics of waiting test cases and of the data folder.
import FarmCore
import FarmLedger

extension MetricsText {
    static func addWaiting(_ ledger: LedgerCounts, _ text: inout String) {
        add("snapfarm_test_cases_waiting", "Test cases of open runs without a worker.", &text)
        text += "snapfarm_test_cases_waiting \(ledger.waiting)\n"
        add(
            "snapfarm_cell_test_cases_waiting",
            "The same by pipeline and cell: the \(FarmLimits.metricCellsMax) with most, if it waits.",
            &text
        )
        for cell in ledger.waitingCells {
            let labels =
                "pipeline=\"\(escaped(cell.pipeline))\",cell=\"\(escaped(cell.cell.text))\""
            text += "snapfarm_cell_test_cases_waiting{\(labels)} \(cell.count)\n"
        }
        let name = "snapfarm_oldest_waiting_run_age_seconds"
        add(name, "Age of the oldest open run of which a test case waits; 0: none waits.", &text)
        text += "\(name) \(ledger.waitingMilliseconds / 1000)\n"
    }

    static func addUpkeep(_ facts: UpkeepFacts, _ text: inout String) {
        for (name, help, value) in [
            ("snapfarm_data_disk_size_bytes", "Size of the data folder's disk.", facts.diskBytes),
            (
                "snapfarm_data_disk_free_bytes", "What may still be written on that disk.",
                facts.diskFreeBytes
            ),
            ("snapfarm_ledger_file_bytes", "Size of the ledger and its log.", facts.ledgerBytes),
        ] {
            guard let value else { continue }
            add(name, help, &text)
            text += "\(name) \(value)\n"
        }
        for task in UpkeepTask.allCases {
            guard let seconds = facts.lastSuccess[task] else { continue }
            let name = "snapfarm_\(task.rawValue)_last_success_timestamp_seconds"
            add(name, "When the last \(task.rawValue) ended well.", &text)
            text += "\(name) \(seconds)\n"
        }
    }

    /// Returns the value of a metric's label, escaped: people choose the names of pipelines and
    /// devices.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
