// What an error of any kind is to people.
import FarmCore

extension Problem {
    /// Any error, explained as far as it explains itself.
    init(explaining error: any Error) {
        if let explained = error as? any ExplainedError {
            self.init(explained)
        } else {
            self.init(
                code: "driver-failed",
                message: "the driver failed: \(error.inWords).",
                remedy: "Look into the lease's log."
            )
        }
    }
}
