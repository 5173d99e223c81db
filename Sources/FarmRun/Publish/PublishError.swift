// The errors of publishing a report.
import FarmCore

enum PublishError: ExplainedError {
    case noPlace(file: String)
    case noKeys(bucket: String)
    case noWebhook(variable: String)
    case noFiles(String)
    case tooManyFiles(String)
    case command(String, ending: String)

    var code: String {
        switch self {
        case .noPlace: "publish-no-place"
        case .noKeys: "publish-no-keys"
        case .noWebhook: "publish-no-webhook"
        case .noFiles: "publish-no-report"
        case .tooManyFiles: "publish-too-large"
        case .command: "publish-command-failed"
        }
    }

    var message: String {
        switch self {
        case .noPlace(let file): "\(file): it names no place for reports."
        case .noKeys(let bucket): "the environment has no access keys for the bucket \(bucket)."
        case .noWebhook(let variable): "\(variable) holds no http or https address."
        case .noFiles(let folder): "\(folder): there is no report."
        case .tooManyFiles(let folder): "\(folder): it has over \(FarmLimits.reportFilesMax) files."
        case .command(let command, let ending): "`\(command.prefix(200))` \(ending)."
        }
    }

    var remedy: String {
        switch self {
        case .noPlace:
            "Add `publish: {bucket: s3://NAME/PREFIX}`, or a `folder` or a `command`; docs/publish.md "
                + "has examples."
        case .noKeys:
            "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as secrets of the CI. A pull request from a "
                + "fork usually gets none."
        case .noWebhook: "Set it to the address that the chat gives for an incoming webhook."
        case .noFiles: "Name the folder of a report, or run again."
        case .tooManyFiles: "Publish parts of the pipeline, or accept the change first."
        case .command: "Run the command by hand; SNAPFARM_REPORT is the folder with the report."
        }
    }

    var exit: ExitCode {
        switch self {
        case .noPlace, .noKeys, .noWebhook: .configuration
        case .noFiles, .tooManyFiles: .invalidInput
        case .command: .busy
        }
    }
}
