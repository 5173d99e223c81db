// The profiles of the program, and the words of jobs' frameworks. Users' own profiles are also YAML
// and are read by the same decoder.
import FarmCore

/// The frameworks that this program knows.
package enum FrameworkCatalog {
    /// The YAML of the program's profiles, in the order of `snapfarm frameworks`.
    package static let texts: [(name: String, text: String)] = [
        ("iOSSnapshotTestCase", PackageResources.iOSSnapshotTestCase_yaml),
        ("swift-snapshot-testing", PackageResources.swift_snapshot_testing_yaml),
        ("SnapshotPreviews", PackageResources.SnapshotPreviews_yaml),
        ("Prefire", PackageResources.Prefire_yaml),
        ("AccessibilitySnapshot", PackageResources.AccessibilitySnapshot_yaml),
        ("pytest-mpl", PackageResources.pytest_mpl_yaml),
        ("pytest-snapshot", PackageResources.pytest_snapshot_yaml),
        ("matplotlib", PackageResources.matplotlib_yaml),
        ("Playwright", PackageResources.Playwright_yaml),
        ("jest-image-snapshot", PackageResources.jest_image_snapshot_yaml),
        ("generic", PackageResources.generic_yaml),
        ("Paparazzi", PackageResources.Paparazzi_yaml),
        ("Roborazzi", PackageResources.Roborazzi_yaml),
        ("Shot", PackageResources.Shot_yaml),
        ("Dropshots", PackageResources.Dropshots_yaml),
        ("ComposePreview", PackageResources.ComposePreview_yaml),
        ("Flutter", PackageResources.Flutter_yaml),
        ("alchemist", PackageResources.alchemist_yaml),
    ].map { ($0.0, String(decoding: $0.1, as: UTF8.self)) }

    package static let profiles: [FrameworkProfile] = texts.map { name, text in
        do throws(DocumentErrors) {
            return try ProfileDecoder.decode(text, file: "\(name).yaml")
        } catch {
            preconditionFailure("a profile of this program is broken: \(error.message)")
        }
    }

    /// Returns the profile of a framework, or `nil` if no framework has the name.
    package static func profile(named name: String) -> FrameworkProfile? {
        profiles.first { $0.name == name }
    }

    /// The frameworks of a job that names no framework: those that need no flags, in the order in
    /// which they claim files.
    package static let unnamed: [FrameworkProfile] = [
        "iOSSnapshotTestCase", "swift-snapshot-testing", "matplotlib", "pytest-mpl",
    ].compactMap { profile(named: $0) }

    /// The words that all unnamed frameworks write about pictures.
    package static let unnamedWords = FrameworkVocabulary(of: unnamed.map(\.messages))

    /// Returns the frameworks that may make the pictures of a job.
    package static func profiles(of job: Job) -> [FrameworkProfile] {
        job.framework.map { [$0] } ?? unnamed
    }

    /// Returns the words that the frameworks of a job write about its pictures.
    package static func words(of job: Job) -> FrameworkVocabulary {
        job.framework?.messages ?? unnamedWords
    }
}

extension TestResult {
    /// Returns the ending of the test after reading its failures with the words of the job's
    /// frameworks.
    ///
    /// If a reference is missing, the last line of the text is the remedy.
    package func ending(in job: Job, mode: RunMode) -> TestEnding {
        guard case .failed = ending else { return ending }
        let read = ending(in: job, mode: mode, words: FrameworkCatalog.words(of: job))
        guard case .new(let text) = read else { return read }
        let speaker = FrameworkCatalog.profiles(of: job).first {
            ending(in: job, mode: mode, words: $0.messages) == read
        }
        let remedy = speaker?.missingRemedy ?? "Make the references, look at them, and commit them."
        return .new("\(text)\n\(remedy)")
    }
}
