// The conversion of any error to a problem for people.
import FarmCore

extension Problem {
    /// Makes the problem of an error: its own explanation, or a failure of the driver.
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
