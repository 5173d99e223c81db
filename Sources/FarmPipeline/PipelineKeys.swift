// Every key a pipeline file may hold. The decoder refuses what is not here, and the JSON Schema
// is generated from here, so that the two cannot disagree. A driver's own keys stand with the driver.

enum PipelineKeys {
    static let top = [
        "version", "name", "references", "devices", "variants", "exclude", "jobs", "quarantine",
        "screens",
    ]
    static let quarantine = ["test", "snapshot", "cell", "until", "reason"]
    static let references = ["store", "pin", "renames", "reencode"]
    static let rename = ["from", "to"]
    static let device = ["name", "os", "width", "height", "scale", "succeeds", "needs"]
    static let matrix = ["devices", "variants"]
    static let timeout = ["test", "shard"]
    /// Of every job; each driver has its own besides.
    static let job = [
        "kind", "driver", "framework", "matrix", "judge", "comparison", "timeout", "retries",
        "exclusive", "env", "bundle", "new", "moved", "flaky", "needs",
    ]
    static let ofPolicy: [String: [String]] = [
        "visible": ["noise", "antiAliasing", "share", "cluster"],
        "exact": [],
        "fb": ["perPixelTolerance", "overallTolerance"],
        "point-free": ["precision", "perceptualPrecision"],
        "pixelmatch": ["threshold", "includeAntiAliasing", "maxDifferingPixels", "version"],
        "paparazzi": ["maxPercentDifference"],
        "roborazzi": ["maxDistance", "threshold"],
    ]
    /// Each key once, though two policies have a `threshold`.
    static let policy = ofPolicy.keys.sorted().reduce(into: ["policy"]) { keys, name in
        for key in ofPolicy[name] ?? [] where !keys.contains(key) { keys.append(key) }
    }
    static let ignoring = ["ignore", "mask"]
    /// Of an override; the job's own rules have the overrides besides.
    static let override = policy + ignoring
    static let comparison = override + ["cells", "suites", "snapshots"]
}
