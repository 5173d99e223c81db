// The search for renamed pictures. It reads sizes from the first bytes of each file, and decodes
// only pictures whose size occurs in both folders.
import FarmCore
import FarmImaging
import Foundation

/// Searches for equal pictures under different paths.
struct RenameSearch {
    private typealias Candidate = (path: PathBytes, isInA: Bool)

    let settings: CompareSettings
    let jobs: Int

    func search(removed: [PathBytes], added: [PathBytes]) async -> PictureRenames {
        guard !removed.isEmpty, !added.isEmpty else {
            return PictureRenames(
                removed: removed.map { ($0, nil) },
                added: added.map { ($0, nil) }
            )
        }
        let worker = PairWorker(settings)
        let gone = removed.map { worker.size($0, isInA: true) }
        let new = added.map { worker.size($0, isInA: false) }
        let both = Set(gone.compactMap(\.self)).intersection(new.compactMap(\.self))
        let candidates: [Candidate] =
            zip(removed, gone).filter { $1.map(both.contains) ?? false }.map { ($0.0, true) }
            + zip(added, new).filter { $1.map(both.contains) ?? false }.map { ($0.0, false) }
        let digests = await digests(candidates)
        var known: [Bool: [PathBytes: Digest]] = [:]
        for (candidate, digest) in zip(candidates, digests) {
            known[candidate.isInA, default: [:]][candidate.path] = digest
        }
        return PictureRenames(
            removed: removed.map { ($0, known[true]?[$0]) },
            added: added.map { ($0, known[false]?[$0]) }
        )
    }

    /// Returns the digest of each candidate; each of n tasks takes every n-th one.
    private func digests(_ candidates: [Candidate]) async -> [Digest?] {
        await withTaskGroup(of: [(Int, Digest?)].self) { group in
            for first in 0..<jobs {
                let worker = PairWorker(settings)
                group.addTask { [jobs] in
                    stride(from: first, to: candidates.count, by: jobs).map { index in
                        let candidate = candidates[index]
                        return (index, worker.digest(candidate.path, isInA: candidate.isInA))
                    }
                }
            }
            var digests = [Digest?](repeating: nil, count: candidates.count)
            for await part in group {
                for (index, digest) in part { digests[index] = digest }
            }
            return digests
        }
    }
}
