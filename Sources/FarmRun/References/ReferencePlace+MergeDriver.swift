// Checks whether Git merges this clone's pin with snapfarm. The settings for that are not part of a
// repository, so a new clone lacks them.
import FarmCore
import FarmReferences
import Foundation

extension ReferencePlace {
    /// Returns the missing parts of the merge driver, or `nil` outside of a work tree and for a pin
    /// that Git does not merge as text.
    package func mergeDriver() throws -> MergeDriverSetup? {
        guard let root = checkedOut.root, try gitlink() == nil,
            let path = try? pinInRepository(root)
        else { return nil }
        let git = GitCommand(folder: root, environment: environment)
        let file = "\(root)/.gitattributes"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let wanted = MergeDriverSetup(pinPath: path, attributes: text, configured: [:]).settings
        var configured: [String: String] = [:]
        for setting in wanted { configured[setting.name] = try git.setting(setting.name) }
        return MergeDriverSetup(pinPath: path, attributes: text, configured: configured)
    }
}
