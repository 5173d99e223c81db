// All keys of a profile. Any other key is a mistake.

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

    /// The environment variables of the contract between snapfarm and tests.
    ///
    /// A profile must not set them: they say to the tests where snapfarm looks for pictures.
    static let contract: Set = [
        "SNAPFARM_LEASE_DIR", "SNAPFARM_CAPTURE_DIR", "SNAPFARM_JOB", "SNAPFARM_CELL",
        "SNAPFARM_DEVICE", "SNAPFARM_OS", "SNAPFARM_WIDTH", "SNAPFARM_HEIGHT", "SNAPFARM_SCALE",
    ]
}
