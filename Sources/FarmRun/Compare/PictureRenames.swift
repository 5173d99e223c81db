// A picture that vanished under one path and appeared under another with the same pixels is one
// renamed picture, not two findings.

import FarmCore

/// Pairs what is only in the first folder with what is only in the second.
struct PictureRenames: Hashable, Sendable {
    /// A picture under another path.
    struct Rename: Hashable, Sendable {
        var from: PathBytes
        var to: PathBytes
    }

    /// Sorted by the new path.
    private(set) var renamed: [Rename] = []
    /// What has no partner, sorted.
    private(set) var removed: [PathBytes] = []
    private(set) var added: [PathBytes] = []

    /// Each picture gets at most one partner; nil digests (unreadable, or no candidate) get none.
    ///
    /// Blank screens are equal to many, so equal file names pair first, then equal folders, then
    /// whatever is left in order.
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
