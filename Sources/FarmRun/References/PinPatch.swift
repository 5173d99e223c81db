// The change of a pin as a patch for `git apply`, for users who may not write to the work tree or
// the branch. Git writes the patch, because names in a patch have quoting rules of their own.
import FarmCore
import FarmDrivers
import FarmReferences
import Foundation

extension ReferencePlace {
    /// Returns the patch that turns one pin into another, relative to the root of the main
    /// repository.
    ///
    /// - Throws: `RefsError` for a pin that is a submodule, and if Git fails.
    func patch(from old: ReferencePin, to new: ReferencePin) throws -> String {
        guard try gitlink() == nil else {
            throw RefsError.badOption("--patch", "the pin is a submodule, which `git apply` skips")
        }
        let root = CheckedOut(around: folder, environment).root
        let path = try root.map(pinInRepository) ?? (pinPath as NSString).lastPathComponent
        return try PinPatch.text(of: path, from: old, to: new, environment)
    }
}

enum PinPatch {
    /// Returns the patch of a pin at `path`, which is relative to the root of the main repository.
    ///
    /// - Throws: `RefsError` if Git fails.
    static func text(
        of path: String,
        from old: ReferencePin,
        to new: ReferencePin,
        _ environment: [String: String]
    ) throws -> String {
        let scratch = try OwnedFolder("patch")
        defer { scratch.remove() }
        for (side, pin) in [("a", old), ("b", new)] {
            let file = "\(scratch.path)/\(side)/\(path)"
            try FileManager.default.createDirectory(
                atPath: file.parentFolder,
                withIntermediateDirectories: true
            )
            guard !pin.isEmpty else { continue }
            try Data(pin.text.utf8).write(to: URL(fileURLWithPath: file))
        }
        let output = scratch.path + "/patch"
        let words = [
            "diff", "--no-index", "--no-prefix", "--no-ext-diff", "--no-color",
            "--output=\(output)", "a", "b",
        ]
        let git = GitCommand(folder: scratch.path, environment: environment)
        let status = try git.run(words).status
        guard status <= 1, let bytes = FileManager.default.contents(atPath: output) else {
            throw RefsError.git(doing: "write the patch of \(path)", reason: "git diff failed")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
