// Runs the system's git for all transfers between this machine and a remote, with the user's
// credential helpers, proxies and ssh configuration. It runs without prompts, hooks and
// maintenance. The remote has a name in the clone's configuration, and no secret is ever written
// there.
import FarmCore
import Foundation

/// A version of git.
package struct GitVersion: Comparable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    /// The oldest supported version: the first that reads the objects to fetch from its input.
    package static let min = GitVersion(major: 2, minor: 29)

    package var description: String { "\(major).\(minor)" }

    init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses the output of `git version`; returns `nil` for anything else.
    init?(_ text: String) {
        guard text.hasPrefix("git version ") else { return nil }
        let numbers = text.dropFirst("git version ".count).split(separator: ".")
        guard numbers.count >= 2, let major = Int(numbers[0]),
            let minor = Int(numbers[1].prefix { $0.isNumber })
        else { return nil }
        self.init(major: major, minor: minor)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

/// Runs git in one repository for one remote.
package struct GitProgram {
    package let access: RemoteAccess
    package let location: StoreLocation
    /// The repository in which git runs.
    package let folder: String

    package init(access: RemoteAccess, location: StoreLocation, folder: String) {
        self.access = access
        self.location = location
        self.folder = folder
    }

    /// The remote's name in the clone's configuration.
    package static let remote = "snapfarm"

    /// Returns the version of git; throws if git is missing or too old.
    @discardableResult
    package static func check(_ access: RemoteAccess) throws -> GitVersion {
        let words = [access.gitProgram, "version"]
        let ending = try ChildProgram.run(
            words,
            environment: access.environment.merging(["LC_ALL": "C"]) { _, new in new },
            stallSeconds: access.stallSeconds,
            secondsMax: access.stallSeconds
        )
        guard case .done(let result) = ending, let version = GitVersion(result.output) else {
            throw RemoteError.gitMissing(
                program: access.gitProgram,
                reason: "it does not say its version"
            )
        }
        guard version >= .min else { throw RemoteError.gitTooOld(version: "\(version)") }
        return version
    }

    /// Runs git and returns its output; `doing` names the call in errors.
    ///
    /// - Throws: `RemoteError` if git fails or writes nothing for too long.
    package func run(_ arguments: [String], input: Data = Data(), doing: String) throws
        -> ChildResult
    {
        switch try answer(arguments, input: input, doing: doing) {
        case .done(let result): return result
        case .failed(let failure): throw failure.error
        }
    }

    package enum Answer {
        case done(ChildResult)
        case failed(RemoteFailure)
    }

    /// Runs git like `run`, but returns git's failure instead of throwing it.
    package func answer(
        _ arguments: [String],
        input: Data = Data(),
        variables: [String: String] = [:],
        outputBytesMax: Int = ChildProgram.outputBytesMax,
        silentSecondsMax: Int? = nil,
        doing: String
    ) throws -> Answer {
        let silentSecondsMax = silentSecondsMax ?? access.stallSeconds
        let ending = try ChildProgram.run(
            [access.gitProgram, "-C", folder] + settings + arguments,
            environment: environment.merging(variables) { _, new in new },
            input: input,
            stallSeconds: silentSecondsMax,
            secondsMax: access.transferSecondsMax,
            outputBytesMax: outputBytesMax
        )
        guard case .done(let result) = ending else {
            throw RemoteError.stalled(
                remote: "\(location)",
                doing: doing,
                seconds: silentSecondsMax
            )
        }
        guard result.status != 0 else { return .done(result) }
        let text = access.mask(for: location).mask(result.errors)
        return .failed(
            RemoteFailure(text: text, location: location, doing: doing, folder: folder)
        )
    }

    private var settings: [String] {
        var settings = [
            "core.hooksPath=/dev/null", "core.askPass=", "gc.auto=0", "maintenance.auto=false",
            "protocol.version=2", "fetch.unpackLimit=1",
            "http.lowSpeedLimit=1", "http.lowSpeedTime=\(access.stallSeconds)",
            "safe.directory=\(folder)",
        ]
        if access.password(for: location) != nil {
            // The token is for this host only: after a redirect, another host gets none. The empty
            // line disables the helpers of the user's own configuration, which Git would ask to
            // store the token.
            let origin = location.url.prefix(location.url.count - location.path.count)
            settings.append("credential.helper=")
            settings.append(
                "credential.\(origin).helper=!f() { test \"$1\" = get && "
                    + "echo \"username=$SNAPFARM_REMOTE_USER\" && "
                    + "echo \"password=$SNAPFARM_REMOTE_PASSWORD\"; }; f"
            )
        }
        return settings.flatMap { ["-c", $0] }
    }

    private var environment: [String: String] {
        var environment = access.environment
        environment["LC_ALL"] = "C"
        environment["GIT_TERMINAL_PROMPT"] = "0"
        environment["GIT_ALLOW_PROTOCOL"] = "file:git:ssh:https"
        environment["GIT_NO_LAZY_FETCH"] = "1"
        environment["GIT_NO_REPLACE_OBJECTS"] = "1"
        environment["GIT_SSH_VARIANT"] = "ssh"
        environment["GIT_SSH_COMMAND"] =
            access.sshCommand().map(shellQuoted).joined(separator: " ")
        if let file = access.certificatesFile { environment["GIT_SSL_CAINFO"] = file }
        if let (user, password) = access.password(for: location) {
            environment["SNAPFARM_REMOTE_USER"] = user
            environment["SNAPFARM_REMOTE_PASSWORD"] = password
        }
        return environment
    }
}

extension GitProgram {
    package enum Filter: String {
        case none
        case noBlobs = "blob:none"
        case noTrees = "tree:0"
    }

    package enum FetchAnswer {
        /// The fetch succeeded. With `ignoredFilter`, the server has no filters and sent
        /// everything.
        case done(ignoredFilter: Bool)
        /// The server does not have this object, or does not send it by its id.
        case refused(ObjectID, RemoteFailure)
    }

    /// Fetches objects by id, with the objects they reach that the filter allows.
    ///
    /// With `negotiating`, wants are refspecs, and objects that are here already are not sent
    /// again.
    ///
    /// - Throws: `RemoteError`, except for an object that the server refuses.
    package func fetch(
        _ wants: [String],
        filter: Filter,
        negotiating: Bool = false,
        doing: String
    ) throws -> FetchAnswer {
        // Without common ancestors, negotiation would only list all local commits in vain.
        var arguments = negotiating ? [] : ["-c", "fetch.negotiationAlgorithm=noop"]
        arguments += [
            "fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-gc", "--progress", "--stdin",
        ]
        // Without `--no-filter`, Git would use the filter of the first fetch for all later ones.
        arguments.append(filter == .none ? "--no-filter" : "--filter=\(filter.rawValue)")
        let input = Data(wants.map { "\($0)\n" }.joined().utf8)
        switch try answer(arguments + [Self.remote], input: input, doing: doing) {
        case .done(let result):
            return .done(ignoredFilter: result.errors.contains("filtering not recognized"))
        case .failed(let failure):
            guard let object = failure.refusedObject else { throw failure.error }
            return .refused(object, failure)
        }
    }
}
