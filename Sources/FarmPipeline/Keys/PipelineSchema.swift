// Documentation of pipeline files for editors and people, generated from the decoder's own list of
// keys: docs/schema/pipeline.schema.json and a part of docs/keys.md. Tests keep them equal.
import FarmCore

/// The generated documentation of pipeline files.
package enum PipelineSchema {
    /// Returns the JSON Schema of pipeline files whose jobs may have these drivers.
    package static func text(drivers: [any DriverKind]) -> String {
        SchemaValue.document("snapfarm pipeline", PipelineKeys.top(drivers))
    }

    /// Returns the keys, grouped by their map, in the order of docs/keys.md.
    package static func sections(drivers: [any DriverKind]) -> [KeySection] {
        [
            KeySection(
                "The pipeline file",
                place: "At the top of the file.",
                PipelineKeys.top(drivers)
            ),
            KeySection("`references`", place: "Below `references`.", PipelineKeys.references),
            KeySection("`publish`", place: "Below `publish`.", PipelineKeys.publish),
            KeySection(
                "A rename",
                place: "In the list `references.renames`.",
                PipelineKeys.rename
            ),
            KeySection("A device", place: "In the list `devices`.", PipelineKeys.device),
            KeySection(
                "A quarantined test or picture",
                place: "In the list `quarantine`.",
                PipelineKeys.quarantine
            ),
            KeySection(
                "A job",
                place: "Below the job's name in `jobs`.",
                JobKeys.common(drivers)
            ),
            KeySection("`matrix`", place: "Below `matrix` of a job.", JobKeys.matrix),
            KeySection("`reuse`", place: "Below `reuse` of a job.", JobKeys.reuse),
            KeySection("`timeout`", place: "Below `timeout` of a job.", JobKeys.timeout),
            KeySection(
                "`comparison`",
                place: "Below `comparison` of a job.",
                PolicyKeys.comparison
            ),
        ]
            + drivers.map { driver in
                KeySection(
                    "A job with the driver `\(driver.name)`",
                    place: "Below the job's name, beside the keys of every job.",
                    driver.keys
                )
            }
    }
}
