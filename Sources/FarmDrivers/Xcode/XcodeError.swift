// The reasons why a job with `driver: xcodebuild` could not be listed, built or run as a whole. The
// fault of a single test is that test's ending, never one of these.
import FarmCore

/// The errors of the driver `xcodebuild`.
enum XcodeError: ExplainedError, Equatable {
    case enumerationUnreadable
    case enumerationFailed([String])
    case noTests(targets: [String])
    case testUnusable(TestID)
    case testRunFileUnreadable(String, reason: String)
    case testRunFilesMany([String])
    case testRunFileMissing(String)
    case nothingPrepared
    case resultsUnreadable
    case noDevice(JobName)
    case deviceTypeUnknown(String, known: [String])
    case runtimeUnknown(device: String, os: String, known: [String])
    case xcodeMissing(needs: String, found: [String])
    /// A command of simctl failed; `ending` is part of a sentence, such as "left with status 70".
    case simctl(command: String, ending: String, output: String)
    case bootHung(device: String, seconds: Double, times: Int)
    /// The machine failed too often: the signature, and the number of times that the shard was
    /// started.
    case infrastructure(FailureSignature, launches: Int)
    case refused(FailureSignature)
    case nothingRan(launches: Int, ending: String, output: String)
    /// The app crashed at launch; `words` are Xcode's words about the crash.
    case crashedAtLaunch(words: String, output: String)
    case settingLost(device: String, setting: String, wanted: String, shown: String)
    case simulatorsSetting(String)
    /// Xcode succeeded without a result for any of this many tests.
    case noneRan(_ xcode: String, tests: Int, selection: String)

    var code: String {
        switch self {
        case .enumerationUnreadable, .enumerationFailed: "discovery-failed"
        case .noTests: "no-tests"
        case .testUnusable: "test-id-refused"
        case .testRunFileUnreadable, .testRunFilesMany, .testRunFileMissing: "xctestrun-unusable"
        case .nothingPrepared: "nothing-built"
        case .resultsUnreadable: "results-invalid"
        case .noDevice: "device-missing"
        case .deviceTypeUnknown: "device-type-unknown"
        case .runtimeUnknown: "runtime-unknown"
        case .xcodeMissing: "xcode-missing"
        case .simctl: "simulator-failed"
        case .bootHung: "simulator-boot-hung"
        case .infrastructure: "simulator-lost-tests"
        case .refused: "tests-not-installable"
        case .nothingRan, .noneRan: "tests-never-ran"
        case .crashedAtLaunch: "app-crashes-at-launch"
        case .settingLost: "simulator-setting-lost"
        case .simulatorsSetting: "simulators-setting-unknown"
        }
    }

    var message: String {
        switch self {
        case .enumerationUnreadable: "Xcode's list of tests cannot be read."
        case .enumerationFailed(let errors):
            "Xcode could not list the tests: " + errors.prefix(5).joined(separator: "; ") + "."
        case .noTests(let targets):
            "Xcode lists no test"
                + (targets.isEmpty ? "." : " of " + targets.joined(separator: ", ") + ".")
        case .testUnusable(let test):
            "the test id \"\(test.text.prefix(200))\" is no line `Target/Class/method`."
        case .testRunFileUnreadable(let path, let reason):
            "\(path) is no .xctestrun file that can be used: \(reason)."
        case .testRunFilesMany(let names):
            "the build made \(names.count) .xctestrun files, and none of them is the default: "
                + names.prefix(5).joined(separator: ", ") + "."
        case .testRunFileMissing(let path): "there is no .xctestrun file in \(path)."
        case .resultsUnreadable: "what xcresulttool says of the results cannot be read."
        case .nothingPrepared: "the lease does not say where the built tests are."
        case .noDevice(let job): "job \(job) has no device to run on."
        case .deviceTypeUnknown(let device, _): "Xcode knows no device type \"\(device)\"."
        case .runtimeUnknown(let device, let os, _):
            "no simulator runtime\(os.isEmpty ? "" : " \(os)") that is installed runs on \(device)."
        case .xcodeMissing(let needs, let found):
            "no Xcode of this machine is \(needs); it has "
                + (found.isEmpty ? "none." : found.joined(separator: ", ") + ".")
        case .simctl(let command, let ending, let output):
            "`\(command)` \(ending)"
                + (output.isEmpty ? " and said nothing." : "; the end of its output:\n\(output)\n")
        case .bootHung(let device, let seconds, let times):
            "\(device) had not booted after \(secondsText(seconds)), \(times) times in a row."
        case .infrastructure(let signature, let launches):
            "the tests were started \(launches) times, and each time the simulator or Xcode failed: "
                + "\"\(signature.text)\"."
        case .refused(let signature):
            "the tests cannot be installed: \"\(signature.text)\"."
        case .nothingRan(let launches, let ending, let output):
            "xcodebuild \(ending) without a result for these tests, \(launches) times in a row"
                + (output.isEmpty ? "." : "; the end of its output:\n\(output)\n")
        case .crashedAtLaunch(let words, let output):
            "the app crashed twice when it was launched, before any test began: \"\(words)\""
                + (output.isEmpty ? "." : "; the end of the output:\n\(output)\n")
        case .settingLost(let device, let setting, let wanted, let shown):
            "\(device) does not take \(setting) \"\(wanted)\": it shows \"\(shown)\"."
        case .simulatorsSetting(let text):
            "SNAPFARM_SIMULATORS is \"\(text.prefix(40))\", which is no known value."
        case .noneRan(let xcode, let tests, let selection):
            "\(xcode) ended with success and "
                + (tests == 1
                    ? "did not run the test that was left"
                    : "ran none of the \(tests) tests that were left")
                + ". It was given \(selection). It passes over names that it does not know."
        }
    }

    var remedy: String {
        switch self {
        case .enumerationUnreadable, .enumerationFailed:
            "Run `xcodebuild -enumerate-tests` by hand with the same scheme."
        case .noTests: "Check `scheme`, `test-plan`, `targets` and `skip` of the job."
        case .testUnusable: "Rename the test, or leave it out with `skip`."
        case .testRunFileUnreadable: "Build it again with `xcodebuild build-for-testing`."
        case .testRunFilesMany: "Name one with `test-plan`."
        case .testRunFileMissing: "Check that the scheme has a test action with targets."
        case .resultsUnreadable: "Run `xcrun xcresulttool get test-results tests` by hand."
        case .nothingPrepared: "Start the run again: its tests are built when it is planned."
        case .noDevice: "Add `devices:` to the pipeline file, such as `iPhone 16 (18.2)`."
        case .deviceTypeUnknown(_, let known):
            "Write a name of `xcrun simctl list devicetypes`"
                + (known.isEmpty
                    ? "." : ", such as " + known.prefix(3).joined(separator: ", ") + ".")
        case .runtimeUnknown(_, _, let known):
            "Installed: \(known.isEmpty ? "none" : known.joined(separator: ", ")). Download it with "
                + "`xcodebuild -downloadPlatform iOS`, or change the device."
        case .xcodeMissing:
            "Install it in /Applications, set SNAPFARM_XCODES to the folder that holds it, or change "
                + "`needs: {xcode: …}`."
        case .simctl: "Run the command by hand; restart the machine's simulators if it hangs."
        case .bootHung: "Look at the machine's load and free disk, or run fewer slots on it."
        case .infrastructure, .nothingRan:
            "Read the lease's log; run the same tests by hand on that machine."
        case .noneRan:
            "Run one of them by hand: `xcodebuild test-without-building -xctestrun … -only-testing:…`. "
                + "If this Xcode wants another form of the name, report it with this message; until "
                + "then `skip` leaves tests out."
        case .refused: "Build again, and check the signing of the test target."
        case .crashedAtLaunch:
            "Launch the app on a new simulator from Xcode, and read its crash report in "
                + "~/Library/Logs/DiagnosticReports; the simulator is not to blame."
        case .settingLost:
            "Set it by hand with `xcrun simctl` on that machine, or leave the cell out."
        case .simulatorsSetting: "Set it to `keep`, or do not set it."
        }
    }

    var exit: ExitCode {
        switch self {
        case .enumerationUnreadable, .enumerationFailed, .noTests, .testRunFileMissing,
            .nothingPrepared, .resultsUnreadable, .crashedAtLaunch:
            .incomplete
        case .testUnusable, .testRunFileUnreadable, .testRunFilesMany, .noDevice,
            .deviceTypeUnknown, .refused:
            .invalidInput
        case .runtimeUnknown, .xcodeMissing, .simulatorsSetting: .configuration
        case .simctl, .bootHung, .infrastructure, .nothingRan, .noneRan, .settingLost: .busy
        }
    }
}
