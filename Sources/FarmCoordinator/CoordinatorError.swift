// Why the coordinator refuses what it was asked.
import FarmCore

/// What the coordinator itself refuses.
package enum CoordinatorError: ExplainedError {
    case noStore

    package var code: String { "no-reference-store" }
    package var message: String { "this coordinator has no reference store." }
    package var remedy: String { "Add `references:` to the pipeline file." }
    package var exit: FarmExit { .configuration }
}
