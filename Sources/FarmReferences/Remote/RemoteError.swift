// What can go wrong between this machine and a remote store. Every text here is masked before it
// is put into a case.
import FarmCore

/// An error of talking to a remote store; `remote` is the masked location.
package enum RemoteError: ExplainedError, Equatable {
    /// Nothing answers, or the line broke and stayed broken; another try may succeed.
    case unreachable(remote: String, doing: String, reason: String)
    /// Nothing moved for so long that the transfer was given up.
    case stalled(remote: String, doing: String, seconds: Int)
    case notFound(remote: String, reason: String)
    /// The remote wants to know who asks, and no credential was accepted.
    case credentials(remote: String, kind: StoreLocation.Kind, reason: String)
    case hostUnknown(remote: String, host: String, reason: String)
    case certificate(remote: String, reason: String)
    /// The remote understood and said no: a hook, a protected branch, read-only access.
    case refused(remote: String, reference: String, reason: String)
    /// There is a repository, but no store in it.
    case notAStore(remote: String, fact: String)
    case unknownFormat(remote: String, format: String)
    /// The remote does not have something the pin names; `line` is the pin's, from 1.
    case pinNotAtRemote(path: SubtreePath, object: ObjectID, line: Int, remote: String)
    /// The remote sent less than it was asked for.
    case incomplete(what: String, object: ObjectID, remote: String)
    /// Others kept writing the journal.
    case journalMoving(remote: String)
    /// `place` is the clone's folder or the remote.
    case diskFull(place: String, doing: String, reason: String)
    case gitMissing(program: String, reason: String)
    case gitTooOld(version: String)
    case failed(remote: String, doing: String, reason: String)

    package var code: String {
        switch self {
        case .unreachable: "remote-unreachable"
        case .stalled: "remote-stalled"
        case .notFound: "remote-not-found"
        case .credentials: "remote-credentials"
        case .hostUnknown: "remote-host-unknown"
        case .certificate: "remote-certificate"
        case .refused: "remote-refused"
        case .notAStore: "remote-not-a-store"
        case .unknownFormat: "store-format-unknown"
        case .pinNotAtRemote: "pin-not-at-remote"
        case .incomplete: "remote-incomplete"
        case .journalMoving: "remote-journal-moving"
        case .diskFull: "disk-full"
        case .gitMissing: "git-missing"
        case .gitTooOld: "git-too-old"
        case .failed: "remote-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .unreachable, .stalled, .journalMoving: .busy
        case .notFound, .credentials, .hostUnknown, .certificate, .refused, .notAStore,
            .unknownFormat, .pinNotAtRemote, .gitMissing, .gitTooOld:
            .configuration
        case .incomplete, .diskFull, .failed: .inputOutput
        }
    }

    /// Whether the same call may succeed a moment later.
    var passes: Bool {
        switch self {
        case .unreachable, .stalled: true
        default: false
        }
    }
}

extension RemoteError {
    package var message: String {
        switch self {
        case .unreachable(let remote, let doing, let reason),
            .diskFull(let remote, let doing, let reason),
            .failed(let remote, let doing, let reason):
            "\(remote): \(doing) failed: \(reason)."
        case .stalled(let remote, let doing, let seconds):
            "\(remote): \(doing) stopped: nothing moved for \(seconds) seconds."
        case .notFound(let remote, let reason): "\(remote): no repository is there: \(reason)."
        case .credentials(let remote, _, let reason):
            "\(remote): no credential was accepted: \(reason)."
        case .hostUnknown(let remote, let host, let reason):
            "\(remote): the key of the host \(host) cannot be trusted: \(reason)."
        case .certificate(let remote, let reason):
            "\(remote): the server's certificate cannot be trusted: \(reason)."
        case .refused(let remote, let reference, let reason):
            "\(remote): \(reference) was refused: \(reason)."
        case .notAStore(let remote, let fact): "\(remote): no reference store is there: \(fact)."
        case .unknownFormat(let remote, let format):
            "\(remote): the reference store has the format \(format), not \(ReferenceStore.format)."
        case .pinNotAtRemote(let path, let object, let line, let remote):
            "snapfarm.refs:\(line): \"\(path)\" is \(object), "
                + "which the store \(remote) does not have."
        case .incomplete(let what, let object, let remote):
            "\(what): the store \(remote) did not send the object \(object)."
        case .journalMoving(let remote): "\(remote): others keep writing the journal."
        case .gitMissing(let program, let reason): "\(program) cannot be run: \(reason)."
        case .gitTooOld(let version): "git \(version) is older than \(GitVersion.min)."
        }
    }

    package var remedy: String {
        switch self {
        case .unreachable, .stalled:
            "Check the network, then run the same command again; it continues where it stopped."
        case .notFound:
            "Correct `references.store`, or make the repository on the "
                + "host and run `snapfarm refs init`."
        case .credentials(_, .ssh, _):
            "Load a key that the host knows into ssh-agent "
                + "(`ssh-add`), or name one in ~/.ssh/config."
        case .credentials:
            "Set SNAPFARM_STORE_TOKEN, or store a credential with `git credential approve`."
        case .hostUnknown(_, let host, _):
            "Compare the key's fingerprint with the host's own, then add it: ssh-keyscan \(host)."
        case .certificate:
            "Name the authority's certificate (`--ca-file FILE`), or correct the host in the URL."
        case .refused: "Ask for write access, or for the rule on the host to be lifted."
        case .notAStore(let remote, _): "Make one with `snapfarm refs init \(remote)`."
        case .unknownFormat: "Use the newer snapfarm that made the store."
        case .pinNotAtRemote:
            """
            Push the set from where it was recorded (`snapfarm refs push`). If it was pruned, move \
            the pin to a kept set: `snapfarm refs log`.
            """
        case .incomplete: "Check the store on its host with `git fsck`, then fetch again."
        case .journalMoving: "The set itself is pushed. Run the same command again for the journal."
        case .diskFull:
            "Free some space there, then run the same command again; it continues where it stopped."
        case .gitMissing, .gitTooOld:
            "Install git \(GitVersion.min) or newer, and put it on the PATH."
        case .failed: "Check the store on its host, then run the same command again."
        }
    }
}
