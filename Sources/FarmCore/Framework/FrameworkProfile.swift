// The profile of a snapshot framework: all facts about it that drivers and workers use, as data. A
// profile is read from YAML and sent to the workers with its job.
//
// A folder is a text that begins with the name of a lease's folder in braces, {lease}, {captures},
// {failures}, {artifacts} or {references}; any text may follow: `{references}_64`.

/// The profile of one snapshot framework: the facts that drivers and workers use.
package struct FrameworkProfile: Hashable, Sendable, Codable {
    package var name: String
    /// The description of the framework in one line.
    package var about: String
    /// The judge for jobs of this framework that name none.
    package var judge: Judge
    package var record: FrameworkMode
    package var verify: FrameworkMode
    /// The place of the framework's references, or `nil` if the framework reads none.
    package var references: FrameworkReferences?
    package var pictures: [PicturePlace]
    /// The patterns that find test, device and scale in a picture's name; the first that matches
    /// counts.
    package var names: [PicturePattern]
    /// The spelling of names in file names, or `nil` if the framework leaves names unchanged.
    package var spelling: NameSpelling?
    /// The rules that find a picture's owner, in the order in which they are tried.
    package var owners: [OwnerRule]
    package var messages: FrameworkVocabulary

    package init(
        name: String,
        about: String = "",
        judge: Judge = .farm,
        record: FrameworkMode = FrameworkMode(),
        verify: FrameworkMode = FrameworkMode(),
        references: FrameworkReferences? = nil,
        pictures: [PicturePlace] = [],
        names: [PicturePattern] = [],
        spelling: NameSpelling? = nil,
        owners: [OwnerRule] = OwnerRule.usual,
        messages: FrameworkVocabulary = FrameworkVocabulary()
    ) {
        self.name = name
        self.about = about
        self.judge = judge
        self.record = record
        self.verify = verify
        self.references = references
        self.pictures = pictures
        self.names = names
        self.spelling = spelling
        self.owners = owners
        self.messages = messages
    }

    /// The advice to the user for a picture without a reference.
    package var missingRemedy: String {
        if let remedy = messages.remedy { return remedy }
        return references == nil
            ? "Let the framework make the reference, and commit it."
            : "Record it with `snapfarm run FILE --mode record`, look at it, and commit the pin."
    }

    /// Whether a lease can use the profile: it sets only valid environment variables, and its
    /// folders are in the lease or have a plain name beside the sources.
    var isSound: Bool {
        let orders = [record, verify]
        let areVariables = orders.allSatisfy { $0.environment.keys.allSatisfy(Job.isVariable) }
        let counts =
            orders.flatMap { [$0.environment.count, $0.flags.count] }
            + pictures.flatMap { [$0.folders.count, $0.ignored.count, $0.needs.count] }
            + [pictures.count, names.count, owners.count]
        let layout = references.map { references in
            switch references.layout {
            case .lease: LeasePlaces.isInside(references.folder)
            case .besideSources:
                PathComponent.isName(references.folder) && !references.sources.isEmpty
            }
        }
        return areVariables && layout ?? true
            && counts.allSatisfy { $0 <= FarmLimits.rulesMax }
            && pictures.allSatisfy { $0.folders.allSatisfy(LeasePlaces.isInside) }
    }

    /// Returns the variables and flags that make the framework record, or compare if `records` is
    /// `false`.
    package func orders(records: Bool) -> FrameworkMode { records ? record : verify }

    /// Returns the fields that the first matching pattern finds in a picture's name, or `nil` if
    /// none matches.
    ///
    /// With `tests`, a test's name in it must be one of these.
    package func fields(ofName name: String, tests: [String] = []) -> PictureFields? {
        let known = tests.isEmpty ? [:] : [PictureField.test: tests]
        return names.lazy.compactMap { $0.read(name, known: known) }.first
    }

    /// Returns a picture's name with these fields, or `nil` if no pattern writes a name that it
    /// reads back the same.
    package func name(saying fields: PictureFields) -> String? {
        let tests = fields[.test].map { [$0] } ?? []
        return names.lazy.compactMap { $0.write(fields) }
            .first { self.fields(ofName: $0, tests: tests) == fields }
    }
}

/// The variables and flags that tell a framework to record or to compare.
package struct FrameworkMode: Hashable, Sendable, Codable {
    /// The environment variables of the test command; a value may begin with a folder of the lease.
    package var environment: [String: String]
    /// The words that replace `{flags}` in a job's `run`; they may contain a folder of the lease.
    package var flags: [String]

    package init(environment: [String: String] = [:], flags: [String] = []) {
        self.environment = environment
        self.flags = flags
    }
}

/// The place where a framework reads its references.
package struct FrameworkReferences: Hashable, Sendable, Codable {
    package enum Layout: String, Hashable, Sendable, Codable, CaseIterable {
        /// The references are in a folder of the lease; a variable or flag passes its path.
        case lease
        /// The references are in folders beside the tests' sources; the build contains their paths.
        case besideSources = "beside-sources"
    }

    /// Folders of builds and third-party code; the tests' sources are never in them.
    package static let foreignFolders: Set = ["node_modules", "Pods", "Carthage", "DerivedData"]

    package var layout: Layout
    /// The ending of source files' names after the suite's name, with `beside-sources`; empty
    /// otherwise.
    package var sources: String
    /// The folder of the references: in the lease, or with `beside-sources`, its name beside the
    /// sources.
    package var folder: String
    /// The pattern of a reference's path in the references' folder; with `beside-sources`, from the
    /// root of the work tree, with `{folder}` first.
    package var path: PicturePattern
    /// The advice to the user if the tests changed the references under verify.
    package var remedy: String

    package init(
        layout: Layout,
        sources: String = "",
        folder: String,
        path: PicturePattern,
        remedy: String
    ) {
        self.layout = layout
        self.sources = sources
        self.folder = folder
        self.path = path
        self.remedy = remedy
    }
}

/// A folder where a framework writes pictures, and the roles of its files.
package struct PicturePlace: Hashable, Sendable, Codable {
    package enum When: String, Hashable, Sendable, Codable, CaseIterable {
        /// The framework writes into the folder only when it records.
        case record
        /// The framework writes into the folder only when it compares with its references.
        case verify
        case always
    }

    package enum Role: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
        case capture, failed, reference, diff
    }

    package var folders: [String]
    package var when: When
    /// The pattern of the files' paths, by role; files with the same suite and name form a group.
    package var paths: [Role: PicturePattern]
    /// The roles that a group of files must have to be the framework's: at least one of each list.
    package var needs: [[Role]]
    /// Patterns of files that belong to the framework but are no pictures of a test.
    package var ignored: [PicturePattern]

    package init(
        folders: [String],
        when: When = .always,
        paths: [Role: PicturePattern],
        needs: [[Role]] = [],
        ignored: [PicturePattern] = []
    ) {
        self.folders = folders
        self.when = when
        self.paths = paths
        self.needs = needs
        self.ignored = ignored
    }
}

/// A rule that finds the test case that made a picture.
package enum OwnerRule: Hashable, Sendable, Codable {
    /// The owner is the test whose class is the picture's suite, and whose name begins the
    /// picture's name.
    case testClass
    /// The owner is the test whose class and name are the picture's suite.
    case suite
    /// The owner is the failed test whose failure message names the picture's file.
    case message
    /// The owner is the test whose name is this pattern, filled with the picture's fields.
    case test(PicturePattern)

    /// The owner rules of a framework whose profile names none.
    package static let usual: [OwnerRule] = [.testClass, .suite, .message]
}

/// The messages of a framework about pictures.
///
/// A test's failure that consists only of these messages is not the test's own.
package struct FrameworkVocabulary: Hashable, Sendable, Codable {
    /// The messages of a test that fails only because a picture was recorded.
    package var recorded: [FrameworkMessage]
    /// The messages that a picture differs from its reference.
    package var differs: [FrameworkMessage]
    /// The messages that a picture has no reference.
    package var missing: [FrameworkMessage]
    /// The beginnings of further lines that may follow a message: the pictures' places, a remedy.
    package var follows: [String]
    /// The whole further lines that may follow a message.
    package var lines: [String]
    /// The advice for a missing reference, or `nil` if the framework uses snapfarm's references.
    package var remedy: String?

    package init(
        recorded: [FrameworkMessage] = [],
        differs: [FrameworkMessage] = [],
        missing: [FrameworkMessage] = [],
        follows: [String] = [],
        lines: [String] = [],
        remedy: String? = nil
    ) {
        self.recorded = recorded
        self.differs = differs
        self.missing = missing
        self.follows = follows
        self.lines = lines
        self.remedy = remedy
    }

    /// Makes the union of the messages of several frameworks.
    package init(of all: [FrameworkVocabulary]) {
        self.init(
            recorded: all.flatMap(\.recorded),
            differs: all.flatMap(\.differs),
            missing: all.flatMap(\.missing),
            follows: all.flatMap(\.follows),
            lines: all.flatMap(\.lines)
        )
    }
}

/// A framework's message, recognised by the beginning of a line and by another text in the same
/// line.
package struct FrameworkMessage: Hashable, Sendable, Codable {
    package var beginning: String
    package var also: String

    package init(_ beginning: String, also: String = "") {
        self.beginning = beginning
        self.also = also
    }
}
