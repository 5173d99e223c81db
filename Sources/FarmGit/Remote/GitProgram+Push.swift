// Lists and changes the references of a remote. Sets have no ancestors, so Git by itself would send
// every picture of a new set again; the options here leave out all that the remote's references
// reach.
import FarmCore
import Foundation

extension GitProgram {
    /// The largest size of the list of references in bytes, for a remote with 600,000 references.
    private static let listBytesMax = 64 << 20

    /// Returns the references of the remote, by full name.
    package func references() throws -> [String: ObjectID] {
        let doing = "connecting"
        let answer = try answer(
            ["ls-remote", "--refs", Self.remote],
            outputBytesMax: Self.listBytesMax,
            doing: doing
        )
        let list: String
        switch answer {
        case .failed(let failure): throw failure.error
        case .done(let result): list = result.output
        }
        // With a part of the list, existing sets would look lost.
        guard list.utf8.count < Self.listBytesMax else {
            throw RemoteError.failed(
                remote: "\(location)",
                doing: doing,
                reason: "they are more than \(Self.listBytesMax >> 20) MiB"
            )
        }
        var references: [String: ObjectID] = [:]
        for line in list.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, let object = ObjectID(parts[0]) else {
                throw RemoteError.failed(
                    remote: "\(location)",
                    doing: doing,
                    reason: "no SHA-1 id is in \"\(line.prefix(80))\""
                )
            }
            references[String(parts[1])] = object
        }
        return references
    }

    package struct Pushed {
        /// The reason why the remote did not change a reference, or `nil` if all were changed.
        package var refusal: String?
        /// The size of the sent pack in bytes, rounded by Git.
        package var bytes: Int
    }

    /// Pushes refspecs: changes references of the remote, and sends the objects that it lacks.
    ///
    /// - Throws: `RemoteError` if the transfer failed. A refusal by the remote is in the result.
    package func push(_ specs: [String], options: [String] = []) throws -> Pushed {
        let words =
            [
                // No search for deltas: pictures are compressed, and the clone may lack those that
                // Git would compare. Folders are deflated, because the clone keeps them
                // uncompressed.
                "-c", "pack.window=0", "-c", "pack.compression=6",
                "-c", "push.pushOption=",
                "push", "--no-verify", "--no-signed", "--no-follow-tags",
                "--recurse-submodules=no", "--thin", "--progress",
            ] + options + [Self.remote] + specs
        let answer = try answer(
            words,
            // An empty list of cut-off commits. The clone then counts as shallow, and Git leaves
            // out the trees of everything that the remote has, not only of ancestors
            // (`--objects-edge-aggressive`, git-rev-list(1)).
            variables: ["GIT_SHALLOW_FILE": "/dev/null"],
            silentSecondsMax: max(access.stallSeconds, access.checkSecondsMax),
            doing: "pushing"
        )
        switch answer {
        case .done(let result):
            return Pushed(refusal: nil, bytes: Self.bytesSent(result.errors))
        case .failed(let failure):
            // The failure's own error has the host's reason for refusing objects.
            guard let refusal = PushRefusal(failure.text), !refusal.isAboutObjects else {
                throw failure.error
            }
            return Pushed(refusal: refusal.reason, bytes: Self.bytesSent(failure.text))
        }
    }

    /// Checks that the remote accepts a connection with the rights of a push; pushes nothing.
    package func checkPush() throws {
        let words = ["push", "--dry-run", "--no-verify", Self.remote, ":refs/snapfarm/none"]
        guard case .failed(let failure) = try answer(words, doing: "connecting") else { return }
        // A refusal to delete is fine: the host accepted the connection.
        guard PushRefusal(failure.text) == nil else { return }
        throw failure.error
    }

    /// Returns the number of bytes in Git's line `Writing objects: 100% (3/3), 7.78 KiB | …`.
    static func bytesSent(_ progress: String) -> Int {
        let units = ["bytes": 1.0, "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824]
        let lines = progress.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        let said = lines.last { $0.hasPrefix("Writing objects: 100%") && $0.contains(", ") }
        let words = (said ?? "").split(separator: ", ").dropFirst().first?.split(separator: " ")
        guard let words, words.count >= 2, let number = Double(words[0]),
            let unit = units[String(words[1])]
        else { return 0 }
        return Int(number * unit)
    }
}
