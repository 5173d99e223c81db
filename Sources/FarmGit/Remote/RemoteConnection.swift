// libgit2 talks to a remote: it lists what is there and pushes. A push of parentless sets by
// libgit2 is exact, because it leaves out the trees of everything the remote advertises.
//
// HTTPS and git:// are libgit2's own; a path and SSH go through a ServerPipe.
import CFarmShims
import CGit2
import FarmCore
import Foundation
import Synchronization

/// One conversation with a remote, for one thread.
package final class RemoteConnection {
    package enum Purpose {
        /// Lists with the rights of a reader.
        case read
        case write
    }

    package struct Pushed {
        /// Why the remote did not change the reference; nil where it did.
        package var refusal: String?
        /// Of the pack that was sent.
        package var bytes: Int
    }

    /// References of the clone that exist while something is pushed.
    package static let pushingPrefix = "refs/snapfarm/pushing/"

    /// What the remote has, by full name; hidden references are not in it.
    package private(set) var references: [String: ObjectID] = [:]
    private let location: StoreLocation
    private let access: RemoteAccess
    private let repository: GitRepository
    private let lease: CertificateLease?
    private let state: ConnectionState
    private let remote: OpaquePointer

    /// Connects and lists.
    package init(
        to location: StoreLocation,
        for purpose: Purpose,
        in repository: GitRepository,
        access: RemoteAccess
    ) throws {
        self.location = location
        self.access = access
        self.repository = repository
        lease = location.kind == .https ? try CertificateLease(access.certificatesFile) : nil
        state = ConnectionState(location, access, folder: repository.path)
        var made: OpaquePointer?
        try GitLibrary.check(
            git_remote_create_anonymous(&made, repository.handle, location.url),
            "name the remote \(location)"
        )
        guard let made else {
            throw GitError.git(doing: "name the remote \(location)", reason: "no remote")
        }
        remote = made
        var callbacks = try state.callbacks()
        var proxy = git_proxy_options()
        git_proxy_options_init(&proxy, UInt32(GIT_PROXY_OPTIONS_VERSION))
        proxy.type = GIT_PROXY_AUTO
        let direction = purpose == .read ? GIT_DIRECTION_FETCH : GIT_DIRECTION_PUSH
        let code = withoutBrokenPipes {
            git_remote_connect(made, direction, &callbacks, &proxy, nil)
        }
        guard code == 0 else { throw failure(code, doing: "connecting") }
        try list()
    }

    deinit {
        withoutBrokenPipes { git_remote_free(remote) }
        withExtendedLifetime((state, lease)) {}
    }

    private func list() throws {
        var heads: UnsafeMutablePointer<UnsafePointer<git_remote_head>?>?
        var count = 0
        let code = git_remote_ls(&heads, &count, remote)
        guard code == 0 else { throw failure(code, doing: "listing the references") }
        for index in 0..<count {
            guard let head = heads?[index]?.pointee, let name = head.name else { continue }
            references[String(cString: name)] = ObjectID(head.oid)
        }
    }

    /// One reference of the remote and what it is to name; nil deletes it.
    package struct Change {
        package var name: String
        package var object: ObjectID?
        /// Replaces whatever the remote has; else only a predecessor.
        package var isForced: Bool

        package init(name: String, object: ObjectID? = nil, isForced: Bool = false) {
            self.name = name
            self.object = object
            self.isForced = isForced
        }
    }

    /// Sends what the remote lacks of an object, and changes a reference of the remote; in the same
    /// push the references of `alongside`, by the clone's names, get their names at the remote.
    ///
    /// - Throws: `RemoteError` where the transfer failed; what the remote refused is in the result.
    package func push(_ change: Change, alongside: [String: String] = [:]) throws -> Pushed {
        var options = git_push_options()
        try GitLibrary.check(
            git_push_options_init(&options, UInt32(GIT_PUSH_OPTIONS_VERSION)),
            "prepare a push"
        )
        options.callbacks = try state.callbacks()
        options.proxy_opts.type = GIT_PROXY_AUTO
        state.refused = nil
        // libgit2 1.5 pushes what a local reference names, not objects.
        let local = change.object.map { "\(Self.pushingPrefix)\($0)-\(getpid())-\(state.number)" }
        if let local, let object = change.object {
            _ = try repository.create(reference: local, to: object)
        }
        defer { if let local { git_reference_remove(repository.handle, local) } }
        let spec = "\(change.isForced ? "+" : "")\(local ?? ""):\(change.name)"
        let others = alongside.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        let code = withoutBrokenPipes {
            withStrings(others + [spec]) { git_remote_upload(remote, $0, &options) }
        }
        if code == GIT_ENONFASTFORWARD.rawValue {
            return Pushed(refusal: "it is not a fast-forward", bytes: 0)
        }
        guard code == 0 else { throw failure(code, doing: "pushing") }
        let mask = access.mask(for: location)
        return Pushed(refusal: state.refused.map(mask.mask), bytes: state.bytesSent)
    }

    /// Fetches references by refspec, with everything they hold.
    package func fetch(_ specs: [String]) throws {
        var options = git_fetch_options()
        try GitLibrary.check(
            git_fetch_options_init(&options, UInt32(GIT_FETCH_OPTIONS_VERSION)),
            "prepare a fetch"
        )
        options.callbacks = try state.callbacks()
        options.proxy_opts.type = GIT_PROXY_AUTO
        options.update_fetchhead = 0
        options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE
        let code = withoutBrokenPipes {
            withStrings(specs) { git_remote_fetch(remote, $0, &options, nil) }
        }
        guard code == 0 else { throw failure(code, doing: "fetching") }
    }

    /// What libgit2 and the program behind it say about a failure on this thread.
    private func failure(_ code: Int32, doing: String) -> RemoteError {
        let mask = access.mask(for: location)
        let reason = GitLibrary.reason(code)
        // Only the remote's own text has the reason why it did not unpack objects.
        let said = mask.mask(reason.contains("unpack") ? "\(reason)\n\(state.words)" : reason)
        let isNetwork = git_error_last().map {
            [GIT_ERROR_NET, GIT_ERROR_OS, GIT_ERROR_SSL].map { Int32($0.rawValue) }
                .contains($0.pointee.klass)
        }
        if let ending = state.pipe?.ending {
            guard !ending.isStalled else {
                return .stalled(remote: "\(location)", doing: doing, seconds: access.stallSeconds)
            }
            let words = mask.mask(ending.words)
            let failure = RemoteFailure(
                text: words.isEmpty ? said : words,
                location: location,
                doing: doing
            )
            guard !words.isEmpty, case .failed = failure.error else { return failure.error }
        }
        let failure = RemoteFailure(text: said, location: location, doing: doing)
        let remote = "\(location)"
        switch code {
        case GIT_ECERTIFICATE.rawValue: return .certificate(remote: remote, reason: failure.reason)
        case GIT_EAUTH.rawValue:
            return .credentials(remote: remote, kind: location.kind, reason: failure.reason)
        default: break
        }
        if case .failed = failure.error, isNetwork == true, !failure.isAnswer {
            return .unreachable(remote: remote, doing: doing, reason: failure.reason)
        }
        return failure.error
    }
}

/// The right to one HTTPS connection that trusts these certificates.
///
/// libgit2 keeps one list for the whole process, and replacing it frees what open connections use:
/// who needs another list waits until no connection is open. Lives as long as the connection.
private final class CertificateLease {
    private static let changed = NSCondition()
    /// Only read and written between `changed.lock()` and `changed.unlock()`, in `init` and `deinit`.
    nonisolated(unsafe) private static var trusted: String?
    /// As `trusted`.
    nonisolated(unsafe) private static var openCount = 0

    /// Without a file: whatever the process trusts.
    init(_ file: String?) throws {
        Self.changed.lock()
        defer { Self.changed.unlock() }
        if let file {
            while Self.trusted != file, Self.openCount > 0 { Self.changed.wait() }
            if Self.trusted != file {
                try GitLibrary.check(farm_git_trust(file), "read the certificates of \(file)")
                Self.trusted = file
            }
        }
        Self.openCount += 1
    }

    deinit {
        Self.changed.lock()
        Self.openCount -= 1
        Self.changed.broadcast()
        Self.changed.unlock()
    }
}

private let connections = Atomic<Int>(0)

/// What libgit2's callbacks read and write during one connection.
private final class ConnectionState {
    let location: StoreLocation
    let access: RemoteAccess
    let pipe: PipeTransport?
    var refused: String?
    /// The remote's progress and error texts (sideband 2), up to ``wordsBytesMax``.
    private(set) var words = ""
    private static let wordsBytesMax = 4_096
    var bytesSent = 0
    /// Tells connections of this process apart.
    let number = connections.wrappingAdd(1, ordering: .relaxed).newValue
    /// Asked twice, the first answer was wrong; libgit2 would ask for ever.
    var isCredentialGiven = false
    private let folder: String

    init(_ location: StoreLocation, _ access: RemoteAccess, folder: String) {
        self.location = location
        self.access = access
        self.folder = folder
        pipe = Self.pipe(location, access)
    }

    private static func pipe(_ location: StoreLocation, _ access: RemoteAccess) -> PipeTransport? {
        let start: (String) -> [String]
        switch location.kind {
        case .git, .https: return nil
        case .path, .file:
            // Without git libgit2 writes into the folder itself, past the hooks that may be there.
            guard ChildProgram.find(access.gitProgram, in: access.environment) != nil else {
                return nil
            }
            // `git-receive-pack` itself is not always on the PATH; `git receive-pack` is.
            start = { [access.gitProgram, String($0.dropFirst("git-".count)), location.path] }
        case .ssh:
            let address = location.user.map { "\($0)@\(location.host)" } ?? location.host
            let ssh = access.sshCommand(port: location.port) + ["--", address]
            // The home folder is the remote shell's to expand.
            let path =
                location.path.hasPrefix("~/")
                ? "~/" + shellQuoted(String(location.path.dropFirst(2)))
                : shellQuoted(location.path)
            start = { ssh + ["\($0) \(path)"] }
        }
        let environment = access.environment.merging(["LC_ALL": "C"]) { _, new in new }
        return PipeTransport(
            environment: environment,
            stallSeconds: access.stallSeconds,
            words: start
        )
    }

    func callbacks() throws -> git_remote_callbacks {
        var callbacks = git_remote_callbacks()
        try GitLibrary.check(
            git_remote_init_callbacks(&callbacks, UInt32(GIT_REMOTE_CALLBACKS_VERSION)),
            "prepare a connection"
        )
        callbacks.payload = Unmanaged.passUnretained(self).toOpaque()
        callbacks.credentials = giveCredential
        callbacks.push_update_reference = { name, reason, payload in
            if name != nil, let reason, let payload {
                state(payload).refused = String(cString: reason)
            }
            return 0
        }
        callbacks.sideband_progress = { text, count, payload in
            if let text, let payload, count > 0 {
                state(payload).hear(UnsafeRawBufferPointer(start: text, count: Int(count)))
            }
            return 0
        }
        callbacks.push_transfer_progress = { _, _, bytes, payload in
            if let payload { state(payload).bytesSent = bytes }
            return 0
        }
        if pipe != nil {
            callbacks.transport = { out, owner, payload in
                guard let payload, let pipe = state(payload).pipe else { return -1 }
                return pipe.make(out, owner)
            }
        }
        return callbacks
    }

    func hear(_ bytes: UnsafeRawBufferPointer) {
        let room = Self.wordsBytesMax - words.utf8.count
        words += String(decoding: bytes.prefix(max(0, room)), as: UTF8.self)
    }

    /// The credential for HTTPS: the token, the location's own, or what Git's helpers know.
    func credential() -> (user: String, password: String)? {
        guard !isCredentialGiven else { return nil }
        isCredentialGiven = true
        return access.password(for: location)
            ?? GitProgram(access: access, location: location, folder: folder).credential()
    }
}

private func state(_ payload: UnsafeMutableRawPointer) -> ConnectionState {
    Unmanaged<ConnectionState>.fromOpaque(payload).takeUnretainedValue()
}

private func giveCredential(
    out: UnsafeMutablePointer<UnsafeMutablePointer<git_credential>?>?,
    url: UnsafePointer<CChar>?,
    userFromURL: UnsafePointer<CChar>?,
    allowed: UInt32,
    payload: UnsafeMutableRawPointer?
) -> Int32 {
    guard let payload, let url else { return GIT_EAUTH.rawValue }
    let state = state(payload)
    // A redirect to another host must not get the token.
    guard String(cString: url).hasPrefix("https://"),
        let asked = try? StoreLocation(parsing: String(cString: url), relativeTo: "/"),
        asked.host == state.location.host, asked.port == state.location.port,
        allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT.rawValue != 0,
        let (user, password) = state.credential()
    else {
        git_error_set_str(Int32(GIT_ERROR_HTTP.rawValue), "authentication failed")
        return GIT_EAUTH.rawValue
    }
    return git_credential_userpass_plaintext_new(out, user, password)
}

/// Runs a call that writes to a socket.
///
/// libgit2 does not ask the kernel to spare it SIGPIPE, so that a server that hangs up would end
/// this process. The signal goes to the thread that wrote: it is blocked there, and then taken.
package func withoutBrokenPipes<Result>(_ call: () -> Result) -> Result {
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var mask = sigset_t()
    var pending = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &mask)
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    defer {
        sigpending(&pending)
        var taken: Int32 = 0
        if !wasPending, sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &taken) }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
    return call()
}

/// Lends strings as libgit2's array of C strings.
package func withStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<git_strarray>) -> Result
) -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeMutableBufferPointer { buffer in
        var array = git_strarray(strings: buffer.baseAddress, count: buffer.count)
        return body(&array)
    }
}
