// The problem of a snapshot job without pictures. Its remedy depends on the job's framework.

extension Problem {
    /// Returns the problem of a snapshot job whose tests ran and made no picture.
    static func noPictures(_ job: Job) -> Problem {
        let writing = "Let its tests write PNGs to $SNAPFARM_CAPTURE_DIR/<suite>/<name>.png"
        let byFramework =
            job.framework.map { "\(writing), or take them with \($0.name)." }
            ?? "\(writing), or name in `framework:` what takes them."
        return Problem(
            code: "no-pictures",
            message: "job \(job.name) made no picture at all.",
            remedy: job.pictureRemedy ?? byFramework,
            about: job.name.text
        )
    }
}
