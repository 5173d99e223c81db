// Every key that a profile may hold; what is not here is a mistake in it.

enum ProfileKeys {
    static let top = [
        "framework", "about", "judge", "record", "verify", "references", "pictures", "names",
        "spelling", "owner", "messages",
    ]
    static let orders = ["env", "flags"]
    static let references = ["layout", "sources", "folder", "path", "writes", "remedy"]
    static let roles = ["capture", "failed", "reference", "diff"]
    static let place = ["folders", "when", "needs", "ignored"] + roles
    static let spelling = ["replace", "by", "unit", "trim", "lowercase"]
    static let ownerWords = ["class", "suite", "message"]
    static let messages = ["recorded", "differs", "missing", "follows", "lines", "remedy"]
    static let message = ["begins", "also"]

    /// The contract's own: a profile that set them would say where the farm looks.
    static let contract: Set = [
        "SNAPFARM_LEASE_DIR", "SNAPFARM_CAPTURE_DIR", "SNAPFARM_JOB", "SNAPFARM_CELL",
        "SNAPFARM_DEVICE", "SNAPFARM_OS", "SNAPFARM_WIDTH", "SNAPFARM_HEIGHT", "SNAPFARM_SCALE",
    ]
}
