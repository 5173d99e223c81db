// What the farm knows of one snapshot framework, as data: a profile is read from YAML, travels to the
// workers with its job, and is all that drivers and workers look at.
//
// Folders are texts that begin with a folder of the lease in braces: {lease}, {captures},
// {failures}, {artifacts}, {references}, and go on as they like: `{references}_64`.

/// One snapshot framework.
package struct FrameworkProfile: Hashable, Sendable, Codable {
    package var name: String
    /// One line for people.
    package var about: String
    /// Who compares where a job does not say.
    package var judge: Judge
    package var record: FrameworkOrders
    package var verify: FrameworkOrders
    /// Nil where the framework reads no references.
    package var references: FrameworkReferences?
    package var pictures: [PicturePlace]
    /// How a picture's name says its test, device and scale; the first that fits counts.
    package var names: [PicturePattern]
    /// Nil where a name is part of a file name as it is.
    package var spelling: NameSpelling?
    /// In the order in which they are asked.
    package var owners: [OwnerRule]
    package var messages: FrameworkWords

    package init(
        name: String,
        about: String = "",
        judge: Judge = .farm,
        record: FrameworkOrders = FrameworkOrders(),
        verify: FrameworkOrders = FrameworkOrders(),
        references: FrameworkReferences? = nil,
        pictures: [PicturePlace] = [],
        names: [PicturePattern] = [],
        spelling: NameSpelling? = nil,
        owners: [OwnerRule] = OwnerRule.usual,
        messages: FrameworkWords = FrameworkWords()
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

    /// What to do about a picture that has no reference.
    package var missingRemedy: String {
        if let remedy = messages.remedy { return remedy }
        return references == nil
            ? "Let the framework make the reference, and commit it."
            : "Record it with `snapfarm run FILE --mode record`, look at it, and commit the pin."
    }

    /// Whether a lease can follow it: what it sets are variables, and every folder that it names lies
    /// in the lease, or is a plain name beside the sources.
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

    /// What the framework is told when it shall record, or when it shall only look.
    package func orders(records: Bool) -> FrameworkOrders { records ? record : verify }

    /// What the name of a picture says of it; of `tests` one is its test's, where it names one.
    package func fields(ofName name: String, tests: [String] = []) -> PictureFields? {
        let known = tests.isEmpty ? [:] : [PictureField.test: tests]
        return names.lazy.compactMap { $0.read(name, known: known) }.first
    }

    /// A name that says all this, and reads so; nil where no pattern has place for it.
    package func name(saying fields: PictureFields) -> String? {
        let tests = fields[.test].map { [$0] } ?? []
        return names.lazy.compactMap { $0.write(fields) }
            .first { self.fields(ofName: $0, tests: tests) == fields }
    }
}

/// How a framework is told what to do.
package struct FrameworkOrders: Hashable, Sendable, Codable {
    /// Values may begin with a folder of the lease.
    package var environment: [String: String]
    /// Words for `{flags}` in a job's `run`; they may hold a folder of the lease.
    package var flags: [String]

    package init(environment: [String: String] = [:], flags: [String] = []) {
        self.environment = environment
        self.flags = flags
    }
}

/// Where a framework reads its references.
package struct FrameworkReferences: Hashable, Sendable, Codable {
    package enum Layout: String, Hashable, Sendable, Codable, CaseIterable {
        /// In a folder of the lease, which a variable or flag names.
        case lease
        /// In folders beside the tests' sources, whose paths are baked into the build.
        case besideSources = "beside-sources"
    }

    /// Folders of builds and of other people's code, in which no source of the tests is looked for.
    package static let foreignFolders: Set = ["node_modules", "Pods", "Carthage", "DerivedData"]

    package var layout: Layout
    /// With `beside-sources`: how the names of sources end, and begin with the suite's.
    package var sources: String
    /// With `beside-sources`: what the folder beside the sources is called.
    package var folder: String
    /// From that folder; with `beside-sources` from the root of the work tree, `{folder}` first.
    package var path: PicturePattern
    /// What to do when the tests changed them under verify.
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

/// A folder in which a framework leaves pictures, and what its files are.
package struct PicturePlace: Hashable, Sendable, Codable {
    package enum When: String, Hashable, Sendable, Codable, CaseIterable {
        /// The framework was told to record.
        case record
        /// The framework was told to look at its references.
        case verify
        case always
    }

    package enum Role: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
        case capture, failed, reference, diff
    }

    package var folders: [String]
    package var when: When
    /// The pictures of one group say the same suite and name.
    package var paths: [Role: PicturePattern]
    /// What a group must have to be the framework's: one role of each list.
    package var needs: [[Role]]
    /// The framework's, but no picture of a test.
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

/// A way to find the test case that made a picture.
package enum OwnerRule: Hashable, Sendable, Codable {
    /// The suite is the test's class, and the name begins with the test's.
    case testClass
    /// The suite is the test's class and name.
    case suite
    /// The failed test whose words name the picture's file.
    case message
    /// The test case is called as this text, with the picture's fields in it.
    case test(PicturePattern)

    /// Of a framework that says nothing else.
    package static let usual: [OwnerRule] = [.testClass, .suite, .message]
}

/// What a framework says when a failure is not the test's own.
package struct FrameworkWords: Hashable, Sendable, Codable {
    /// A picture was recorded, and the test fails for that alone.
    package var recorded: [FrameworkMessage]
    /// A picture differs from its reference.
    package var differs: [FrameworkMessage]
    /// There is no reference.
    package var missing: [FrameworkMessage]
    /// How lines begin that may follow these: where the pictures are, what to do.
    package var follows: [String]
    /// Whole lines that may follow these.
    package var lines: [String]
    /// What to do where there is no reference; nil where the farm's references are the framework's.
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

    /// What any of several frameworks says.
    package init(of all: [FrameworkWords]) {
        self.init(
            recorded: all.flatMap(\.recorded),
            differs: all.flatMap(\.differs),
            missing: all.flatMap(\.missing),
            follows: all.flatMap(\.follows),
            lines: all.flatMap(\.lines)
        )
    }
}

/// A message by how it begins, and by what else stands in its line.
package struct FrameworkMessage: Hashable, Sendable, Codable {
    package var beginning: String
    package var also: String

    package init(_ beginning: String, also: String = "") {
        self.beginning = beginning
        self.also = also
    }
}
