// The rule for paths that are one place on a file system that ignores case (macOS, Windows):
// `S/Login.png` beside `S/login.png`, `S/` beside `s/`, a file with the name of a folder. Stores,
// checkouts, merges, verdicts and recordings use this rule.

/// Finds paths that differ, but name the same file on a file system that ignores case.
package struct PathTwins {
    /// Two spellings of one path, which collide; `one` was added first.
    package struct Pair: Hashable, Sendable {
        package let one: String
        package let other: String
    }

    private enum Kind {
        case file
        case folder
    }
    private var seen: [String: (path: String, kind: Kind)] = [:]

    package init() {}

    /// Adds a file and its parent folders; returns the first collision, or `nil` if none of these
    /// paths collides with an earlier one.
    ///
    /// Nothing below a colliding path is added.
    package mutating func add(_ path: String) -> Pair? {
        var prefix = ""
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        for (index, part) in parts.enumerated() {
            prefix += index == 0 ? part : "/" + part
            let kind: Kind = index == parts.count - 1 ? .file : .folder
            // Upper case first: it unites letters that lower case alone keeps apart (ß and SS, ſ
            // and s).
            let folded = prefix.uppercased().lowercased()
            if let earlier = seen[folded] {
                guard earlier.path == prefix, earlier.kind == kind else {
                    return Pair(one: earlier.path, other: prefix)
                }
            } else {
                seen[folded] = (prefix, kind)
            }
        }
        return nil
    }
}

extension PathTwins {
    /// Returns the pictures whose paths collide with those of others in the list, each with the
    /// colliding pair: two pictures' paths, or two spellings of a folder.
    package static func among(
        _ pictures: some Sequence<SnapshotID>
    ) -> [SnapshotID: Pair] {
        let ids = Set(pictures)
        var twins = PathTwins()
        // The usual case: without a collision no sorting is needed.
        if ids.allSatisfy({ twins.add($0.path) == nil }) { return [:] }
        let sorted = ids.sorted()
        twins = PathTwins()
        var pairs: [String: Pair] = [:]
        for id in sorted {
            guard let pair = twins.add(id.path) else { continue }
            for path in [pair.one, pair.other] where pairs[path] == nil { pairs[path] = pair }
        }
        var found: [SnapshotID: Pair] = [:]
        for id in sorted { found[id] = id.placesOnTheWay.lazy.compactMap { pairs[$0] }.first }
        return found
    }
}

extension SnapshotID {
    /// The paths of all the picture's folders, outermost first, then the picture's own path.
    fileprivate var placesOnTheWay: [String] {
        var places: [String] = []
        var prefix = ""
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            prefix += (prefix.isEmpty ? "" : "/") + String(Substring(part))
            places.append(prefix)
        }
        return places
    }
}
