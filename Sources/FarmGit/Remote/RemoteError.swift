// The errors of transfers between this machine and a remote. Every text is masked before it is put
// into a case.
import FarmCore

/// An error of access to a remote; `remote` is the masked location.
package enum RemoteError: ExplainedError, Equatable {
    /// The remote does not answer, or the connection was lost. Another attempt may succeed.
    case unreachable(remote: String, doing: String, reason: String)
    /// The transfer was ended because nothing was transferred for `seconds`.
    case stalled(remote: String, doing: String, seconds: Int)
    case notFound(remote: String, reason: String)
    /// The remote requires a login, and no credential was accepted.
    case credentials(remote: String, kind: StoreLocation.Kind, reason: String)
    case hostUnknown(remote: String, host: String, reason: String)
    case certificate(remote: String, reason: String)
    /// The disk is full at `place`, which is the clone's folder or the remote.
    case diskFull(place: String, doing: String, reason: String)
    /// The host checked the objects of a push and refused them.
    case refused(remote: String, doing: String, reason: String)
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
        case .diskFull: "disk-full"
        case .refused: "remote-refused-objects"
        case .gitMissing: "git-missing"
        case .gitTooOld: "git-too-old"
        case .failed: "remote-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .unreachable, .stalled: .busy
        case .notFound, .credentials, .hostUnknown, .certificate, .gitMissing, .gitTooOld:
            .configuration
        case .refused: .invalidInput
        case .diskFull, .failed: .inputOutput
        }
    }

    /// Whether the error may pass, so that the same call may succeed a moment later.
    package var passes: Bool {
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
        case .refused(let remote, let doing, let reason):
            "\(remote): \(doing) was refused by the host, which checks what it gets: \(reason)."
        case .stalled(let remote, let doing, let seconds):
            "\(remote): \(doing) stopped: nothing moved for \(seconds) seconds."
        case .notFound(let remote, let reason): "\(remote): no repository is there: \(reason)."
        case .credentials(let remote, _, let reason):
            "\(remote): no credential was accepted: \(reason)."
        case .hostUnknown(let remote, let host, let reason):
            "\(remote): the key of the host \(host) cannot be trusted: \(reason)."
        case .certificate(let remote, let reason):
            "\(remote): the server's certificate cannot be trusted: \(reason)."
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
        case .diskFull:
            "Free some space there, then run the same command again; it continues where it stopped."
        case .refused:
            "Read the log of the host (`receive.fsckObjects`, hooks): the same set is refused again until its "
                + "rule changes."
        case .gitMissing, .gitTooOld:
            "Install git \(GitVersion.min) or newer, and put it on the PATH."
        case .failed: "Check the store on its host, then run the same command again."
        }
    }
}
