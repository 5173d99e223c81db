// Proposes jobs for an Xcode project: one for its unit tests, one for each snapshot framework.
import FarmCore

extension SetupRules {
    /// Adds the jobs of the project, and the questions that it leaves to people.
    mutating func addXcode() {
        guard let xcode = XcodeFacts(files) else { return }
        let place = fastlane.workspace ?? xcode.workspace ?? fastlane.project ?? xcode.project ?? ""
        let isWorkspace = place.hasSuffix(".xcworkspace")
        proposal.found.append("Xcode: \(place)")
        guard let scheme = scheme(xcode) else {
            proposal.open.append(
                "No scheme of \(place) is shared: share one in Xcode (Manage Schemes, Shared), "
                    + "commit it, and run snapfarm init again."
            )
            return
        }
        let listed = xcode.schemes.first { $0.name == scheme.name }?.targets ?? []
        let targets = listed.isEmpty ? xcode.targets : listed
        var unit: [String] = []
        var pictures: [String: [String]] = [:]
        for target in targets where !target.hasSuffix("UITests") {
            if let framework = XcodeFacts.framework(of: target, files) {
                pictures[framework, default: []].append(target)
            } else {
                unit.append(target)
            }
        }
        let common = [
            ProposedEntry("driver", "xcodebuild"),
            ProposedEntry(isWorkspace ? "workspace" : "project", text: place),
            ProposedEntry("scheme", text: scheme.name, guess: scheme.guess),
        ]
        if !unit.isEmpty {
            jobs.append(
                ProposedJob(
                    name: "unit",
                    entries: [ProposedEntry("kind", "unit")] + common
                        + [ProposedEntry("targets", YAMLText.list(unit))],
                    hasReferences: false,
                    runsOnDevices: false
                )
            )
        }
        for (framework, targets) in pictures.sorted(by: { $0.key < $1.key }) {
            jobs.append(
                ProposedJob(
                    name: pictures.count == 1 ? "screens" : "screens-\(framework.lowercased())",
                    entries: [ProposedEntry("kind", "snapshot")] + common
                        + [
                            ProposedEntry("framework", framework),
                            ProposedEntry("targets", YAMLText.list(targets)),
                        ],
                    hasReferences: true,
                    runsOnDevices: true
                )
            )
        }
        if pictures.isEmpty {
            proposal.open.append(
                "No test target of the scheme \(scheme.name) uses a snapshot framework that snapfarm "
                    + "knows. Add a job of kind snapshot when one does; see docs/ios.md."
            )
        } else if pictures["iOSSnapshotTestCase"] != nil {
            proposal.open.append(
                "iOSSnapshotTestCase: let the tests follow the run: recordMode = "
                    + "ProcessInfo.processInfo.environment[\"SNAPSHOT_TEST_RECORD_MODE\"] == \"true\"."
            )
        }
        needsDevices = !jobs.isEmpty
    }

    /// Returns the scheme that fastlane names, else the only one, else the first one, preferring
    /// those with tests.
    private func scheme(_ xcode: XcodeFacts) -> (name: String, guess: String?)? {
        if let scheme = fastlane.scheme { return (scheme, nil) }
        if xcode.schemes.count == 1 { return (xcode.schemes[0].name, nil) }
        let tested = xcode.schemes.filter { !$0.targets.isEmpty }
        guard let first = tested.first ?? xcode.schemes.first else { return nil }
        return (first.name, "one of \(xcode.schemes.count) shared schemes")
    }
}
