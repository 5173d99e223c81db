// A snapshot job without pictures: what to do depends on what takes them.

extension Problem {
    /// Said of a snapshot job whose tests ran and made no picture.
    static func noPictures(_ job: Job) -> Problem {
        Problem(
            code: "no-pictures",
            message: "job \(job.name) made no picture at all.",
            remedy: job.pictureRemedy,
            about: job.name.text
        )
    }
}

extension Job {
    /// Tests that are programs take pictures themselves; scenes of the driver `webdriver` do not.
    fileprivate var pictureRemedy: String {
        let writing = "Let its tests write PNGs to $SNAPFARM_CAPTURE_DIR/<suite>/<name>.png"
        switch driver.name {
        case "webdriver":
            return "snapfarm takes the picture of each scene: the job's logs say why none."
        case "command" where driver.values["captures"] == nil:
            return writing + ", or set `captures:`."
        case "command": return writing + ", or where `captures:` looks for them."
        default:
            return framework.map { "\(writing), or take them with \($0.name)." }
                ?? "\(writing), or name in `framework:` what takes them."
        }
    }
}
