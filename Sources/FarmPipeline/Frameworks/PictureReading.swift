// Finds the pictures of a framework by the names of files. No file is opened.
import FarmCore

/// The pictures that a profile found in one folder; paths are relative to that folder.
package struct PictureReading: Equatable {
    package var captures: [CapturedFile] = []
    package var differences: [FrameworkDifference] = []
    /// The paths of other files of the framework, listed so that no glob takes them for captures.
    package var ignored: [String] = []
    /// The expected path of each missing reference, by the path of its failed picture.
    ///
    /// Some frameworks put a link there.
    package var expected: [String: String] = [:]

    /// Every path that the profile recognised.
    package var taken: [String] {
        let pictures = differences.flatMap { [$0.reference, $0.failed, $0.diff] }
        return captures.map(\.path) + pictures.compactMap { $0 } + ignored
    }
}

extension PicturePlace {
    /// Whether the place is read in a run; `records` is whether the framework records in that run.
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
        /// The fields that are in the paths of these files.
        var fields: PictureFields = [:]
    }

    /// Finds the framework's pictures in a sorted listing of relative paths.
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

    /// The fields that the paths of all roles have; files of one picture agree in them.
    private var sharedFields: Set<PictureField> {
        paths.values.reduce(Set(PictureField.allCases)) { $0.intersection($1.fields) }
    }

    /// Returns the role of a path.
    ///
    /// References and differences come first, because their patterns are more specific than the
    /// test's own picture. An ignored file is never the test's own picture.
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
