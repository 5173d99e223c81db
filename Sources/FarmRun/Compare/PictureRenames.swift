// Finds renamed pictures: a picture that vanished at one path and appeared at another with the same
// pixels is one finding, not two.

import FarmCore

/// Pairs pictures that are only in the first folder with pictures that are only in the second.
struct PictureRenames: Hashable, Sendable {
    /// A picture that moved to another path.
    struct Rename: Hashable, Sendable {
        var from: PathBytes
        var to: PathBytes
    }

    /// The renamed pictures, sorted by the new path.
    private(set) var renamed: [Rename] = []
    /// The pictures of the first folder that have no partner, sorted.
    private(set) var removed: [PathBytes] = []
    /// The pictures of the second folder that have no partner, sorted.
    private(set) var added: [PathBytes] = []

    /// Pairs pictures with equal digests; a picture without a digest (unreadable, or no candidate)
    /// gets no partner.
    ///
    /// A blank screen equals many others, so pictures with equal file names are paired first, then
    /// those in equal folders, then the rest in the order of their paths.
    init(
        removed: [(path: PathBytes, digest: Digest?)],
        added: [(path: PathBytes, digest: Digest?)]
    ) {
        var gone: [Digest: [PathBytes]] = [:]
        for (path, digest) in removed.sorted(by: { $0.path < $1.path }) {
            guard let digest else {
                self.removed.append(path)
                continue
            }
            gone[digest, default: []].append(path)
        }
        var open = added.sorted { $0.path < $1.path }
        let rules: [(PathBytes, PathBytes) -> Bool] = [
            { $0.name == $1.name },
            { $0.folder == $1.folder },
            { _, _ in true },
        ]
        for isNear in rules {
            open.removeAll { path, digest in
                guard let digest, let index = gone[digest]?.firstIndex(where: { isNear($0, path) }),
                    let from = gone[digest]?.remove(at: index)
                else { return false }
                renamed.append(Rename(from: from, to: path))
                return true
            }
        }
        renamed.sort { $0.to < $1.to }
        self.added = open.map(\.path)
        self.removed = (self.removed + gone.values.joined()).sorted()
    }
}

extension PathBytes {
    fileprivate var folder: ArraySlice<UInt8> { bytes.dropLast(name.count) }
}
