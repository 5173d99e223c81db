// Names of files → the pictures of a framework. No file is opened.
import FarmCore

/// What a profile recognised in one folder; paths are relative to that folder.
package struct PictureReading: Equatable {
    package var captures: [CapturedFile] = []
    package var differences: [FrameworkDifference] = []
    /// Files of the framework that are neither, so that no glob takes them for captures.
    package var ignored: [String] = []
    /// Where the reference of a difference would lie that has none, by the path of its failed
    /// picture: some frameworks put a link there.
    package var expected: [String: String] = [:]

    /// Every path that is accounted for.
    package var taken: [String] {
        let pictures = differences.flatMap { [$0.reference, $0.failed, $0.diff] }
        return captures.map(\.path) + pictures.compactMap { $0 } + ignored
    }
}

extension PicturePlace {
    /// Whether the place is looked at where the framework was told to record, or not to.
    package func isRead(records: Bool) -> Bool {
        switch when {
        case .always: true
        case .record: records
        case .verify: !records
        }
    }

    /// The files of one picture.
    private struct Group {
        var files: [Role: String] = [:]
        /// All that their paths say.
        var fields: PictureFields = [:]
    }

    /// Reads a sorted listing of relative paths.
    package func read(_ files: [String]) -> PictureReading {
        var reading = PictureReading()
        var groups: [PictureFields: Group] = [:]
        let shared = sharedFields
        for path in files {
            let isIgnored = ignored.contains { $0.read(path) != nil }
            if isIgnored { reading.ignored.append(path) }
            guard let (role, fields) = role(of: path, isIgnored: isIgnored) else { continue }
            let key = fields.only(shared)
            groups[key, default: Group()].files[role] = path
            groups[key]?.fields.add(fields)
        }
        let own = groups.values.filter { isOwn($0.files) }
        for group in own.sorted(by: { key($0.fields) < key($1.fields) }) {
            add(group.files, group.fields, to: &reading)
        }
        return reading
    }

    /// What the path of each picture of a group says.
    private var sharedFields: Set<PictureField> {
        paths.values.reduce(Set(PictureField.allCases)) { $0.intersection($1.fields) }
    }

    /// Pictures beside the test's own are spelled like it with something more, so they are looked
    /// for first; what is ignored is never the test's own.
    private func role(of path: String, isIgnored: Bool) -> (Role, PictureFields)? {
        let beside: [Role] = [.reference, .diff]
        let roles = isIgnored ? beside : beside + [.failed, .capture]
        return roles.lazy.compactMap { role in
            paths[role]?.read(path).map { (role, $0) }
        }.first
    }

    private func isOwn(_ files: [Role: String]) -> Bool {
        needs.allSatisfy { $0.contains { files[$0] != nil } }
    }

    private func key(_ fields: PictureFields) -> String {
        let parts: [PictureField] = [.folder, .suite, .name]
        return parts.compactMap { fields[$0] }.joined(separator: "/")
    }

    private func add(
        _ files: [Role: String],
        _ fields: PictureFields,
        to reading: inout PictureReading
    ) {
        let suite = fields[.suite] ?? ""
        let name = fields[.name] ?? ""
        let paths = Set(reading.ignored)
        if let path = files[.capture] {
            reading.captures.append(CapturedFile(suite: suite, name: name, path: path))
            let beside = [files[.reference], files[.diff]].compactMap { $0 }
            reading.ignored += beside.filter { !paths.contains($0) }
            return
        }
        reading.differences.append(
            FrameworkDifference(
                suite: suite,
                name: name,
                reference: files[.reference],
                failed: files[.failed],
                diff: files[.diff]
            )
        )
        if files[.reference] == nil, let failed = files[.failed] {
            reading.expected[failed] = self.paths[.reference]?.write(fields)
        }
    }
}
