// The error of a pin whose references were pruned, with the nearest set that is kept.
import FarmCore
import FarmReferences

struct PrunedPinError: ExplainedError {
    let pinPath: String
    let fact: PrunedFact

    var code: String { "pin-pruned" }
    var exit: ExitCode { .configuration }
    var message: String {
        "\(pinPath): its references (set \(fact.set.short)) were pruned on \(fact.dropped.text); "
            + "kept was \(fact.policy)."
    }
    var remedy: String {
        guard let nearest = fact.nearest else {
            return "Record new references (snapfarm run FILE --mode record), or take the pin of "
                + "another commit: snapfarm refs pin move COMMIT."
        }
        return "Take the nearest set that is kept: snapfarm refs pin move \(nearest.hex)."
    }
}
