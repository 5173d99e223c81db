// Pictures that a reader's browser can fetch: those of a reference store that is a repository on the
// host of the pull request. Expected ones lie in the pinned set; new ones on the branch
// `proposals/<pull request>`, where the job's `refs push --proposal` puts them after its run.
import FarmCore
import Foundation

package struct HostPictures: Sendable {
    /// `https://host/owner/name/raw`.
    private let base: String
    /// The branch with what is proposed.
    private let branch: String

    /// Nil for a store elsewhere, without a pull request, and on Bitbucket, which serves no file of a
    /// branch with a slash.
    init?(store: StoreLocation, place: HostPlace) {
        guard let number = place.pullRequest, [.https, .ssh].contains(store.kind),
            let server = URL(string: place.server)?.host,
            store.host.lowercased() == server.lowercased()
        else { return nil }
        var path = store.path.split(separator: "/").joined(separator: "/")
        if path.hasSuffix(".git") { path.removeLast(4) }
        guard HostPlace.isRepository(path, on: place.kind) else { return nil }
        switch place.kind {
        case .gitHub:
            base = "\(place.server)/\(path)/raw"
            branch = "refs/heads/proposals/\(number)"
        case .gitLab:
            base = "\(place.server)/\(path)/-/raw"
            branch = "proposals/\(number)"
        case .bitbucket: return nil
        }
    }

    /// The expected picture in the set that the run compared with; nil without one.
    package func reference(_ picture: SnapshotSummary, set: String) -> String? {
        guard !set.isEmpty, !picture.reference.isEmpty else { return nil }
        let id = picture.predecessor.isEmpty ? picture.id : picture.predecessor
        return url(set, id)
    }

    /// The picture as it is proposed; nil for one that nobody can approve.
    package func proposed(_ picture: SnapshotSummary) -> String? {
        guard [.changed, .new, .moved].contains(picture.verdict) else { return nil }
        return url(branch, picture.id)
    }

    private func url(_ revision: String, _ id: String) -> String? {
        var allowed = CharacterSet(charactersIn: "-._~/")
        allowed.insert(charactersIn: "a"..."z")
        allowed.insert(charactersIn: "A"..."Z")
        allowed.insert(charactersIn: "0"..."9")
        return id.addingPercentEncoding(withAllowedCharacters: allowed).map {
            "\(base)/\(revision)/\($0).png"
        }
    }
}
