// An `.xctestrun` file: a property list, XML or binary, that says how xcodebuild runs built tests.
//
//   version 2        TestConfigurations: [{TestTargets: [TARGET…]}]
//   version 1 and 0  one entry per target at the top, named after it
//
// Files in the wild mix the two, so targets are looked for at both places. A copy changes only what
// a launch needs and keeps every other key. `__TESTROOT__` in it is the folder the file lies in: a
// copy that lies elsewhere finds no test and passes, so a copy lies beside its original.
import Foundation

/// What a launch changes in its copy.
struct TestRunEdit: Equatable {
    /// Of the process that runs the tests.
    var environment: [String: String] = [:]
    /// By target, as the file spells them; a target without any is taken out.
    var only: [String: [String]] = [:]
    /// Such as `ja`; nil: the plan's.
    var language: String?
    /// Such as `JP`; nil: the plan's.
    var region: String?
}

/// A property list whose keys nobody knows all.
struct TestRunFile {
    private var root: [String: Any]
    private let format: PropertyListSerialization.PropertyListFormat

    private enum Key {
        static let metadata = "__xctestrun_metadata__"
        static let configurations = "TestConfigurations"
        static let targets = "TestTargets"
        static let name = "BlueprintName"
        static let bundle = "TestBundlePath"
    }

    init(_ bytes: Data, path: String) throws(XcodeError) {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let value = try? PropertyListSerialization.propertyList(
            from: bytes,
            options: [],
            format: &format
        )
        guard let root = value as? [String: Any] else {
            throw .testRunFileUnreadable(path, reason: "it is no property list")
        }
        self.root = root
        self.format = format
        guard !targets.isEmpty else {
            throw .testRunFileUnreadable(path, reason: "it names no test target")
        }
        guard version <= 2 else {
            throw .testRunFileUnreadable(path, reason: "its format is version \(version)")
        }
    }

    /// 2, 1, or 0 for a file that does not say.
    var version: Int {
        let metadata = root[Key.metadata] as? [String: Any]
        return (metadata?["FormatVersion"] as? NSNumber)?.intValue ?? 0
    }

    /// The names of the test targets, sorted, each once.
    var targets: [String] {
        var names: Set<String> = []
        for (key, value) in root {
            if let target = Self.target(value) { names.insert(Self.name(of: target, or: key)) }
        }
        for configuration in configurations {
            for target in Self.targets(of: configuration) {
                names.insert(Self.name(of: target, or: ""))
            }
        }
        return names.sorted()
    }

    /// Which module a target's tests are in, where the file says so.
    var modules: [String: String] {
        var modules: [String: String] = [:]
        func note(_ target: [String: Any], _ key: String) {
            guard let module = target["ProductModuleName"] as? String else { return }
            modules[Self.name(of: target, or: key)] = module
        }
        for (key, value) in root { if let target = Self.target(value) { note(target, key) } }
        for target in configurations.flatMap(Self.targets(of:)) { note(target, "") }
        return modules
    }

    /// Whether it is its scheme's default test plan; nil: the file has none.
    var isDefaultPlan: Bool? {
        ((root["TestPlan"] as? [String: Any])?["IsDefault"] as? NSNumber)?.boolValue
    }

    var planName: String? { (root["TestPlan"] as? [String: Any])?["Name"] as? String }

    mutating func apply(_ edit: TestRunEdit) {
        for (key, value) in root {
            guard let target = Self.target(value) else { continue }
            root[key] = Self.edited(target, named: Self.name(of: target, or: key), edit)
        }
        guard root[Key.configurations] != nil else { return }
        root[Key.configurations] = configurations.map { configuration in
            var configuration = configuration
            configuration[Key.targets] = Self.targets(of: configuration).compactMap { target in
                Self.edited(target, named: Self.name(of: target, or: ""), edit)
            }
            return configuration
        }
    }

    /// In the format the file had.
    func encoded(path: String) throws(XcodeError) -> Data {
        do {
            return try PropertyListSerialization.data(
                fromPropertyList: root,
                format: format == .binary ? .binary : .xml,
                options: 0
            )
        } catch {
            throw .testRunFileUnreadable(path, reason: "\(error)")
        }
    }

    // MARK: targets

    private var configurations: [[String: Any]] {
        root[Key.configurations] as? [[String: Any]] ?? []
    }

    private static func targets(of configuration: [String: Any]) -> [[String: Any]] {
        configuration[Key.targets] as? [[String: Any]] ?? []
    }

    /// Whatever has a test bundle is one.
    private static func target(_ value: Any) -> [String: Any]? {
        guard let entry = value as? [String: Any], entry[Key.bundle] != nil else { return nil }
        return entry
    }

    private static func name(of target: [String: Any], or key: String) -> String {
        target[Key.name] as? String ?? key
    }

    /// Nil: the launch has no test of it.
    private static func edited(
        _ target: [String: Any],
        named name: String,
        _ edit: TestRunEdit
    ) -> [String: Any]? {
        guard let only = edit.only[name], !only.isEmpty else { return nil }
        var target = target
        for key in ["EnvironmentVariables", "TestingEnvironmentVariables"] {
            let own = target[key] as? [String: Any] ?? [:]
            target[key] = own.merging(edit.environment) { _, new in new }
        }
        target["OnlyTestIdentifiers"] = only
        // What is chosen is chosen: a list of both would leave it to Xcode which one counts.
        target["SkipTestIdentifiers"] = nil
        // Xcode's own parallelism boots clones of the simulator; the farm has its slots.
        target["ParallelizationEnabled"] = false
        target["UserAttachmentLifetime"] = "keepAlways"
        target["SystemAttachmentLifetime"] = "deleteOnSuccess"
        if let language = edit.language { target["TestLanguage"] = language }
        if let region = edit.region { target["TestRegion"] = region }
        return target
    }
}
