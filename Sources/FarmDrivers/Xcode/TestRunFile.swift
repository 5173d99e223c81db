// An `.xctestrun` file: a property list, XML or binary, by which xcodebuild runs built tests.
//
//   version 2        TestConfigurations: [{TestTargets: [TARGET…]}]
//   version 1 and 0  one entry per target at the top, named after it
//
// Real files mix the two, so targets are looked for in both places. A copy changes only what a
// launch needs, and keeps every other key. `__TESTROOT__` in it is the folder of the file: a copy
// in another folder finds no test and passes, so a copy lies beside its original.
import FarmCore
import Foundation

/// The changes that a launch makes in its copy of an `.xctestrun` file.
struct TestRunEdit: Equatable {
    /// The variables of the process that runs the tests.
    var environment: [String: String] = [:]
    /// The tests of each target, as the file spells them; a target without any is removed.
    var only: [String: [String]] = [:]
    /// The language of the tests, such as `ja`, or `nil` for the plan's.
    var language: String?
    /// The region of the tests, such as `JP`, or `nil` for the plan's.
    var region: String?
}

/// An `.xctestrun` file, as a property list that may have unknown keys.
struct TestRunFile {
    private var root: [String: PropertyList]
    private let format: PropertyListSerialization.PropertyListFormat

    private enum Key {
        static let metadata = "__xctestrun_metadata__"
        static let configurations = "TestConfigurations"
        static let targets = "TestTargets"
        static let name = "BlueprintName"
        static let bundle = "TestBundlePath"
        static let skips = ["SkipTestIdentifiers", "SkipTestingIdentifiers"]
    }

    init(_ bytes: Data, path: String) throws(XcodeError) {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let decoder = PropertyListDecoder()
        let value = try? decoder.decode(PropertyList.self, from: bytes, format: &format)
        guard let root = value?.dictionary else {
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

    /// The version of the format: 2, 1, or 0 if the file has none.
    var version: Int {
        root[Key.metadata]?.dictionary?["FormatVersion"]?.integer ?? 0
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

    /// The modules of the targets' tests by target, if the file has them.
    var modules: [String: String] {
        var modules: [String: String] = [:]
        func note(_ target: [String: PropertyList], _ key: String) {
            guard let module = target["ProductModuleName"]?.text else { return }
            modules[Self.name(of: target, or: key)] = module
        }
        for (key, value) in root { if let target = Self.target(value) { note(target, key) } }
        for target in configurations.flatMap(Self.targets(of:)) { note(target, "") }
        return modules
    }

    /// Returns those of some tests that the plan skips in every configuration that has their
    /// target.
    ///
    /// Xcode 27 lists such functions of Swift Testing as enabled (measured by others on 27.0).
    func skipped(among tests: [TestID]) -> Set<TestID> {
        var skips: [String: [Set<[String]>]] = [:]
        for (key, value) in root {
            guard let target = Self.target(value) else { continue }
            skips[Self.name(of: target, or: key), default: []].append(Self.skips(of: target))
        }
        for target in configurations.flatMap(Self.targets(of:)) {
            skips[Self.name(of: target, or: ""), default: []].append(Self.skips(of: target))
        }
        return Set(
            tests.filter { test in
                let name = XcodeTestName(test)
                guard let skips = skips[name.target] else { return false }
                return skips.allSatisfy { paths in name.paths.contains { paths.contains($0) } }
            }
        )
    }

    /// Whether the file is its scheme's default test plan, or `nil` if it has no plan.
    var isDefaultPlan: Bool? { root["TestPlan"]?.dictionary?["IsDefault"]?.flag }

    var planName: String? { root["TestPlan"]?.dictionary?["Name"]?.text }

    mutating func apply(_ edit: TestRunEdit) {
        for (key, value) in root {
            guard let target = Self.target(value) else { continue }
            root[key] = Self.edited(target, named: Self.name(of: target, or: key), edit)
                .map(PropertyList.dictionary)
        }
        guard root[Key.configurations] != nil else { return }
        let edited = configurations.map { configuration in
            var configuration = configuration
            let targets = Self.targets(of: configuration).compactMap { target in
                Self.edited(target, named: Self.name(of: target, or: ""), edit)
            }
            configuration[Key.targets] = .list(targets.map(PropertyList.dictionary))
            return PropertyList.dictionary(configuration)
        }
        root[Key.configurations] = .list(edited)
    }

    /// Returns the bytes of the file, in the format that it had.
    func encoded(path: String) throws(XcodeError) -> Data {
        do {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format == .binary ? .binary : .xml
            return try encoder.encode(PropertyList.dictionary(root))
        } catch {
            throw .testRunFileUnreadable(path, reason: error.inWords)
        }
    }

    // MARK: targets

    private var configurations: [[String: PropertyList]] {
        root[Key.configurations]?.dictionaries ?? []
    }

    private static func targets(
        of configuration: [String: PropertyList]
    ) -> [[String: PropertyList]] {
        configuration[Key.targets]?.dictionaries ?? []
    }

    /// Returns an entry of the file if it has a test bundle, and so is a target, else `nil`.
    private static func target(_ value: PropertyList) -> [String: PropertyList]? {
        guard let entry = value.dictionary, entry[Key.bundle] != nil else { return nil }
        return entry
    }

    private static func name(of target: [String: PropertyList], or key: String) -> String {
        target[Key.name]?.text ?? key
    }

    /// Returns the paths of the tests that a target's plan skips, in the list and in the
    /// dictionary.
    private static func skips(of target: [String: PropertyList]) -> Set<[String]> {
        var paths = TestChoice.paths(in: target[Key.skips[1]]?.dictionary ?? [:])
        if case .list(let list)? = target[Key.skips[0]] {
            paths += list.compactMap(\.text).map(XcodeTestName.plainParts(of:))
        }
        return Set(paths)
    }

    /// Returns a target with the changes of `edit`, or `nil` if the launch has no test of it.
    private static func edited(
        _ target: [String: PropertyList],
        named name: String,
        _ edit: TestRunEdit
    ) -> [String: PropertyList]? {
        guard let only = edit.only[name], !only.isEmpty else { return nil }
        var target = target
        for key in ["EnvironmentVariables", "TestingEnvironmentVariables"] {
            let own = target[key]?.dictionary ?? [:]
            let added = edit.environment.mapValues(PropertyList.text)
            target[key] = .dictionary(own.merging(added) { _, new in new })
        }
        // A plan's own choice is removed: with both, Xcode decides which one counts.
        for key in Key.skips { target[key] = nil }
        target["OnlyTestIdentifiers"] = .list(only.map(PropertyList.text))
        target["OnlyTestingIdentifiers"] = TestChoice(only).propertyList
        // Xcode's own parallelism boots clones of the simulator; the farm has slots instead.
        target["ParallelizationEnabled"] = .flag(false)
        target["UserAttachmentLifetime"] = .text("keepAlways")
        target["SystemAttachmentLifetime"] = .text("deleteOnSuccess")
        if let language = edit.language { target["TestLanguage"] = .text(language) }
        if let region = edit.region { target["TestRegion"] = .text(region) }
        return target
    }
}
