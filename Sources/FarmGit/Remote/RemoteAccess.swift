// The access of this machine to remote stores: credentials, trusted hosts and time limits. It is
// made once at the edge of the program, from options and the environment; nothing below reads the
// environment itself.
//
// Secrets are passed in memory, in a child's environment or in a pipe, never in arguments or URLs.
import FarmCore
import Foundation

/// Credentials, trust and time limits for access to a remote store.
package struct RemoteAccess: Sendable {
    /// The password for HTTPS (`SNAPFARM_STORE_TOKEN`).
    ///
    /// It takes precedence over the location's own.
    package var token: String?
    /// The user name for `token` if the location names no user.
    package var tokenUser = "x-access-token"
    /// The path of a private key for SSH; with `nil`, ssh-agent and ~/.ssh/config decide.
    package var identityFile: String?
    /// The path of a known-hosts file; hosts that are not in the file are refused.
    ///
    /// With `nil`, OpenSSH's own files are used.
    package var knownHostsFile: String?
    /// The path of certificates to trust instead of the system's, as PEM.
    package var certificatesFile: String?
    package var gitProgram = "git"
    package var sshProgram = "ssh"
    /// The number of seconds without any transfer after which the connection counts as lost.
    package var stallSeconds = 60
    /// The number of seconds that a host may be silent after a push, while it checks the objects
    /// and runs its hooks.
    package var checkSecondsMax = 600
    /// The largest time of one transfer, in seconds.
    package var transferSecondsMax = 3_600
    /// The largest number of attempts at one transfer, including the first.
    package var attemptsMax = 4
    /// The function that waits between two attempts.
    package var sleep: @Sendable (Duration) -> Void = { duration in
        // Blocks its thread, as every transfer does: all calls of this target are synchronous.
        let parts = duration.components
        Thread.sleep(forTimeInterval: Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
    }
    package let environment: [String: String]

    /// The environment variables that Git, ssh and credential helpers need; others are dropped.
    private static let passed: Set<String> = [
        "HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
        "NO_PROXY",
        "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
    ]

    /// Takes the token and the needed variables from the process's environment.
    package init(environment: [String: String]) {
        token = environment["SNAPFARM_STORE_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.environment = environment.filter { Self.passed.contains($0.key) }
    }

    /// Returns user and password for a location, or `nil` if Git's helpers must provide them.
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

    /// Returns the `ssh` command with options: it never prompts, and never accepts an unknown host.
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

    /// Runs a transfer, and runs it again after a lost connection, waiting 1, 2, 4 … seconds.
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

/// Returns a text quoted as one word for /bin/sh.
package func shellQuoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
}
