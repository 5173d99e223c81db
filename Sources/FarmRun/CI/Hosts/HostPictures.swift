// The URLs of pictures that a reader's browser can fetch, if the reference store is a repository on
// the pull request's host. Expected pictures are in the pinned set. New ones are on the branch
// `proposals/<pull request>`, where the job's `refs push --proposal` puts them after its run.
import FarmCore
import Foundation

package struct HostPictures: Sendable {
    /// The beginning of all URLs of pictures, such as `https://host/owner/name/raw`.
    private let base: String
    /// The branch with the proposed pictures.
    private let branch: String

    /// Finds the URLs of a store's pictures; returns `nil` for a store on another host, without a
    /// pull request, and on Bitbucket, which serves no file of a branch with a slash.
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

    /// Returns the URL of the expected picture in the set that the run compared with, or `nil`
    /// without one.
    package func reference(_ picture: SnapshotSummary, set: String) -> String? {
        guard !set.isEmpty, !picture.reference.isEmpty, !picture.isText else { return nil }
        let id = picture.predecessor.isEmpty ? picture.id : picture.predecessor
        return url(set, id)
    }

    /// Returns the URL of the picture that the pull request proposes, or `nil` for one that cannot
    /// be approved.
    package func proposed(_ picture: SnapshotSummary) -> String? {
        guard [.changed, .new, .moved].contains(picture.verdict), !picture.isText else {
            return nil
        }
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
