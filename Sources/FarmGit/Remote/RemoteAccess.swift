// How this machine speaks to remote stores: who it is, whom it trusts, how long it waits. Made once
// at the rim, from flags and the environment; nothing below reads the environment itself.
//
// Secrets travel in memory, in a child's environment or in a pipe, never in arguments or URLs.
import FarmCore
import Foundation

/// Identity, trust and patience for talking to a remote store.
package struct RemoteAccess: Sendable {
    /// `SNAPFARM_STORE_TOKEN`: the password for HTTPS; goes before the location's own.
    package var token: String?
    /// The user that goes with `token` where the location names none.
    package var tokenUser = "x-access-token"
    /// A private key for SSH; nil leaves the choice to ssh-agent and ~/.ssh/config.
    package var identityFile: String?
    /// Hosts that are not in it are refused; nil: OpenSSH's own files.
    package var knownHostsFile: String?
    /// Certificates to trust instead of the system's, as PEM.
    package var certificatesFile: String?
    package var gitProgram = "git"
    package var sshProgram = "ssh"
    /// Nothing moved for this long: the connection counts as lost.
    package var stallSeconds = 60
    /// A host that has all of a push checks it and runs its hooks, which need not say anything.
    package var checkSecondsMax = 600
    /// One transfer must end within this, whatever moves.
    package var transferSecondsMax = 3_600
    /// Tries of one transfer, the first included.
    package var attemptsMax = 4
    /// Waits between two tries.
    package var sleep: @Sendable (Duration) -> Void = { duration in
        let parts = duration.components
        Thread.sleep(forTimeInterval: Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
    }
    package let environment: [String: String]

    /// Variables that Git, ssh and credential helpers need; the rest stays outside.
    private static let passed: Set<String> = [
        "HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
        "NO_PROXY",
        "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
    ]

    /// Takes what it needs out of the process's environment, the token included.
    package init(environment: [String: String]) {
        token = environment["SNAPFARM_STORE_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.environment = environment.filter { Self.passed.contains($0.key) }
    }

    /// User and password for a location; nil where Git's credential helpers must be asked.
    package func password(for location: StoreLocation) -> (user: String, password: String)? {
        guard location.kind == .https, let password = token ?? location.password else { return nil }
        return (location.user ?? tokenUser, password)
    }

    package func mask(for location: StoreLocation) -> SecretMask {
        let plain = [token, location.password].compactMap(\.self)
        let escaped = plain.compactMap {
            $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        }
        let basic = password(for: location).map {
            Data("\($0.user):\($0.password)".utf8).base64EncodedString()
        }
        return SecretMask(plain + escaped + [basic].compactMap(\.self))
    }

    /// `ssh` and its options: it never asks, and it never accepts an unknown host.
    package func sshCommand() -> [String] {
        var words = [
            sshProgram, "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes",
            "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15",
            "-o", "ServerAliveCountMax=4", "-o", "ForwardAgent=no", "-o", "ClearAllForwardings=yes",
        ]
        if let knownHostsFile {
            words += [
                "-o", "UserKnownHostsFile=\(knownHostsFile)", "-o",
                "GlobalKnownHostsFile=/dev/null",
            ]
        }
        if let identityFile { words += ["-o", "IdentitiesOnly=yes", "-i", identityFile] }
        return words
    }

    /// Runs a transfer again after a lost connection, waiting 1, 2, 4 … seconds.
    package func retrying<Result>(_ transfer: () throws -> Result) throws -> Result {
        for attempt in 1..<max(attemptsMax, 1) {
            do {
                return try transfer()
            } catch let error as RemoteError where error.passes {
                sleep(.seconds(1 << min(attempt - 1, 6)))
            }
        }
        return try transfer()
    }
}

/// A word for /bin/sh.
package func shellQuoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
}
