// Finds the address of a scene's page, for one cell.
import FarmCore
import Foundation

/// The addresses of the job's servers, for the pages of one cell.
struct PageSites: Sendable {
    /// The address of the job's server, or `nil` if it has none.
    var served: String?
    /// The address of Storybook, which ends with `/`, or `nil` if there is none.
    var stories: String?
    var cell: Cell

    /// Returns the address of a scene's page.
    ///
    /// - Throws: ``SceneError/pageNotFound(page:status:)`` if the page's file does not exist.
    func address(of scene: Scene, in workTree: String) throws(SceneError) -> String {
        switch scene.page {
        case .url(let address): return address
        case .served(let path):
            guard let served else { throw .pageNotFound(page: path, status: nil) }
            return Self.joined(served, path)
        case .story(let id):
            return Storybook.address(id, at: stories ?? "", cell.variant)
        case .probe: return ProbePage.address
        case .file(let path, let suffix):
            guard SceneCapture.isPage(path, in: workTree) else {
                throw .pageNotFound(page: path, status: nil)
            }
            return URL(fileURLWithPath: workTree + "/" + path).absoluteString + suffix
        }
    }

    /// Returns the address of a path, which begins with `/`, on the host of `address`.
    static func joined(_ address: String, _ path: String) -> String {
        guard let url = URL(string: address), let scheme = url.scheme, let host = url.host else {
            return address + path
        }
        return "\(scheme)://" + host + (url.port.map { ":\($0)" } ?? "") + path
    }
}
