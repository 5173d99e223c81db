// A child's ending as part of a sentence.
import FarmCore

extension ChildEnding {
    /// Returns the ending as part of a sentence, such as `left with status 3`.
    func text(limitSeconds: Double) -> String {
        switch self {
        case .exited(let status): "left with status \(status)"
        case .signalled(let signal): "was ended by \(signalName(signal))"
        case .timedOut: "ran longer than \(secondsText(limitSeconds))"
        case .flooded: "printed too much"
        }
    }
}
