// Reads the tests of an Xcode project: shared schemes name the test targets, and the sources of a
// target show its snapshot framework.
import FarmCore
import Foundation

struct XcodeFacts {
    struct Scheme: Hashable {
        let name: String
        let targets: [String]
    }

    private(set) var workspace: String?
    private(set) var project: String?
    private(set) var schemes: [Scheme] = []
    /// The names of test targets in the project file, used if no scheme is shared.
    private(set) var targets: [String] = []

    /// Reads a repository's project; returns `nil` if it has none.
    init?(_ files: ProjectFiles) {
        let bundle = "/project.pbxproj"
        let projects = files.ending(in: ".xcodeproj" + bundle).map { $0.dropLast(bundle.count) }
            .filter { !$0.contains("Pods/") }
        workspace =
            files.ending(in: ".xcworkspace/contents.xcworkspacedata")
            .map { ProjectFiles.folder(of: $0) }
            .first { !$0.contains(".xcodeproj/") && !$0.contains("Pods/") }
        project = projects.first.map(String.init)
        guard workspace != nil || project != nil else { return nil }
        for path in files.ending(in: ".xcscheme") where path.contains("/xcshareddata/") {
            guard !path.contains("Pods/"), let text = files.text(path) else { continue }
            let name = (path.pathParts.last ?? "").dropLast(".xcscheme".count)
            schemes.append(Scheme(name: String(name), targets: Self.testables(text)))
        }
        if let project, let text = files.text(project + bundle) {
            targets = Self.testTargets(text)
        }
    }

    /// Returns the snapshot framework of a target, by its sources, or `nil` if it has none.
    static func framework(of target: String, _ files: ProjectFiles) -> String? {
        let sources = files.folders(named: target).flatMap { files.below($0) }
            .filter(isSource)
        for path in sources.prefix(FarmLimits.setupSourcesMax) {
            guard let text = files.text(path) else { continue }
            if text.contains("import SnapshotTesting") { return "swift-snapshot-testing" }
            if text.contains("FBSnapshotTestCase") || text.contains("iOSSnapshotTestCase") {
                return "iOSSnapshotTestCase"
            }
        }
        return nil
    }

    private static func isSource(_ path: String) -> Bool {
        path.hasSuffix(".swift") || path.hasSuffix(".m") || path.hasSuffix(".mm")
    }

    /// Returns the `BlueprintName` of each `<TestableReference>` of a scheme that is not skipped.
    private static func testables(_ text: String) -> [String] {
        var found: [String] = []
        for part in text.split(separator: "<TestableReference").dropFirst() {
            let head = part.prefix { $0 != ">" }
            guard !head.contains("skipped = \"YES\"") else { continue }
            let body = part.range(of: "</TestableReference>").map { part[..<$0.lowerBound] } ?? part
            guard let name = attribute("BlueprintName", in: body), !found.contains(name) else {
                continue
            }
            found.append(name)
        }
        return found
    }

    private static func attribute(_ name: String, in text: Substring) -> String? {
        guard let range = text.range(of: "\(name) = \"") else { return nil }
        return String(text[range.upperBound...].prefix { $0 != "\"" })
    }

    /// Returns the names of native targets that are bundles of unit tests.
    private static func testTargets(_ text: String) -> [String] {
        var found: [String] = []
        for part in text.split(separator: "isa = PBXNativeTarget;").dropFirst() {
            let body = part.range(of: "isa = ").map { part[..<$0.lowerBound] } ?? part
            guard body.contains("com.apple.product-type.bundle.unit-test"),
                let range = body.range(of: "\n\t\t\tname = ")
            else { continue }
            let name = body[range.upperBound...].prefix { $0 != ";" }
            found.append(name.filter { $0 != "\"" })
        }
        return found
    }
}
