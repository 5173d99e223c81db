// A host of remote stores for each way to reach it.
import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import Testing

/// A folder of bare repositories and its server.
// Shared by the tasks of one test: all changes happen in `init`.
package final class StoreHost: @unchecked Sendable {
    package let kind: StoreLocation.Kind
    package let folder: TemporaryFolder
    /// The server's port, or `nil` for `path` and `file`.
    package let port: Int?
    private var programs: [ServerProgram] = []

    /// The token that the HTTPS server requires.
    package static let token = "s3cret/t0ken+of=tests"

    /// Whether the server speaks version 2 of Git's protocol; SSH servers need a setting for it.
    private let speaksVersion2: Bool

    package init(_ kind: StoreLocation.Kind, speaksVersion2: Bool = true) throws {
        self.kind = kind
        self.speaksVersion2 = speaksVersion2
        folder = try TemporaryFolder("host")
        try folder.write("repositories/.keep", "")
        port = kind == .path || kind == .file ? nil : try TestPort.reserved()
        guard let port else { return }
        switch kind {
        case .path, .file: break
        case .git: try startDaemon(port)
        case .ssh: try startSSH(port)
        case .https: try startHTTPS(port)
        }
        try TestPort.awaitListener(on: port)
    }

    /// Returns the path of a repository on the host's disk.
    package func path(_ name: String) -> String { folder.file("repositories/\(name).git") }

    /// Makes the empty bare repository that a person creates on a host.
    package func make(_ name: String, settings: [String: String] = [:]) throws {
        try #require(try run("git", ["init", "--quiet", "--bare", path(name)]).status == 0)
        let all = [
            "uploadpack.allowFilter": "true", "http.receivepack": "true",
        ].merging(settings) { _, new in new }
        for (setting, value) in all.sorted(by: { $0.key < $1.key }) {
            try git(name, "config", setting, value)
        }
    }

    /// Makes a store on the host's disk, for tests that are not about making one.
    package func makeStore(_ name: String) throws {
        _ = try ReferenceStore.create(at: path(name))
        try git(name, "config", "http.receivepack", "true")
    }

    @discardableResult
    package func git(_ name: String, _ arguments: String...) throws -> String {
        let result = try run("git", ["-C", path(name)] + arguments)
        try #require(result.status == 0, "git \(arguments): \(result.errors)")
        return result.output
    }

    package func faults(_ name: String) throws -> [String] { try storeFaults(path(name)) }

    /// Returns the location of a repository, through a proxy if one is given.
    package func location(_ name: String, through proxy: CuttingProxy? = nil) throws
        -> StoreLocation
    {
        let port = proxy?.port ?? self.port ?? 0
        let text =
            switch kind {
            case .path: path(name)
            case .file: "file://\(path(name))"
            case .git: "git://127.0.0.1:\(port)/\(name).git"
            case .ssh: "ssh://\(NSUserName())@127.0.0.1:\(port)\(path(name))"
            case .https: "https://localhost:\(port)/\(name).git"
            }
        return try StoreLocation(parsing: text, relativeTo: "/")
    }

    /// Returns a client's settings for the host, without waits.
    package func access(through proxy: CuttingProxy? = nil) throws -> RemoteAccess {
        var environment = ProcessInfo.processInfo.environment
        environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
        environment["SSH_AUTH_SOCK"] = nil
        environment["HOME"] = folder.path
        environment["SNAPFARM_STORE_TOKEN"] = kind == .https ? Self.token : nil
        var access = RemoteAccess(environment: environment)
        access.sleep = { _ in usleep(1_000) }
        if kind == .ssh, let port = proxy?.port ?? port {
            let key = try String(contentsOfFile: folder.file("host_key.pub"), encoding: .utf8)
            let parts = key.split(separator: " ").prefix(2).joined(separator: " ")
            access.knownHostsFile = try folder.write(
                "known_hosts_\(port)",
                "[127.0.0.1]:\(port) \(parts)\n"
            )
            access.identityFile = folder.file("user_key")
        }
        if kind == .https { access.certificatesFile = folder.file("authority.pem") }
        return access
    }

    /// Returns the same settings as variables for one of our programs.
    package func environment() throws -> [String: String] {
        let access = try access()
        return [
            "SNAPFARM_SSH_KEY": access.identityFile, "SNAPFARM_CA_FILE": access.certificatesFile,
            "SNAPFARM_KNOWN_HOSTS": access.knownHostsFile, "SNAPFARM_STORE_TOKEN": access.token,
            "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": folder.path,
        ].compactMapValues(\.self)
    }

    // MARK: servers

    private func startDaemon(_ port: Int) throws {
        programs.append(
            try ServerProgram(
                "git",
                [
                    "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
                    "--listen=127.0.0.1", "--port=\(port)",
                    "--base-path=\(folder.file("repositories"))",
                ]
            )
        )
    }

    private func startSSH(_ port: Int) throws {
        for key in ["host_key", "user_key"] {
            let arguments = ["-q", "-t", "ed25519", "-N", "", "-f", folder.file(key)]
            try #require(try run("ssh-keygen", arguments).status == 0)
        }
        // sshd needs this folder to separate its privileges; packages create it at boot.
        if geteuid() == 0 {
            try FileManager.default.createDirectory(
                atPath: "/run/sshd",
                withIntermediateDirectories: true
            )
        }
        let settings = try folder.write(
            "sshd_config",
            """
            ListenAddress 127.0.0.1:\(port)
            HostKey \(folder.file("host_key"))
            AuthorizedKeysFile \(folder.file("user_key.pub"))
            PidFile none
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            PermitRootLogin prohibit-password
            KexAlgorithms curve25519-sha256
            \(speaksVersion2 ? "AcceptEnv GIT_PROTOCOL" : "")

            """
        )
        programs.append(try ServerProgram("sshd", ["-D", "-f", settings]))
    }

    private func startHTTPS(_ port: Int) throws {
        try makeCertificates()
        let secret = try run("openssl", ["passwd", "-apr1", Self.token]).output
        try folder.write("passwords", "x-access-token:\(secret)")
        let socket = folder.file("cgi.sock")
        programs.append(try ServerProgram("fcgiwrap", ["-c", "2", "-s", "unix:\(socket)"]))
        let backend = try ServerProgram.path(of: "git-http-backend")
        let http = """
            client_max_body_size 0;
            server {
              listen 127.0.0.1:\(port) ssl;
              ssl_certificate \(folder.file("server.pem"));
              ssl_certificate_key \(folder.file("server.key"));
              auth_basic "store";
              auth_basic_user_file \(folder.file("passwords"));
              location / {
                fastcgi_pass unix:\(socket);
                fastcgi_param SCRIPT_FILENAME \(backend);
                fastcgi_param GIT_PROJECT_ROOT \(folder.file("repositories"));
                fastcgi_param GIT_HTTP_EXPORT_ALL 1;
                fastcgi_param GIT_PROTOCOL $http_git_protocol;
                fastcgi_param PATH_INFO $uri;
                fastcgi_param QUERY_STRING $query_string;
                fastcgi_param REQUEST_METHOD $request_method;
                fastcgi_param CONTENT_TYPE $content_type;
                fastcgi_param CONTENT_LENGTH $content_length;
                fastcgi_param REMOTE_USER $remote_user;
              }
            }
            """
        let settings = try folder.write(
            "nginx.conf",
            NginxText.settings(in: folder, http: http)
        )
        let log = folder.file("nginx-start.log")
        programs.append(
            try ServerProgram("nginx", ["-p", folder.path, "-e", log, "-c", settings])
        )
    }

    /// Makes a certificate authority of our own, and a server certificate that it signed.
    private func makeCertificates() throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let names = try folder.write("names", "subjectAltName=DNS:localhost\n")
        let calls = [
            ["req", "-x509"] + key + [
                "-subj", "/CN=Authority of the tests", "-days", "2",
                "-keyout", folder.file("authority.key"), "-out", folder.file("authority.pem"),
            ],
            ["req", "-new"] + key + [
                "-subj", "/CN=localhost",
                "-keyout", folder.file("server.key"), "-out", folder.file("server.csr"),
            ],
            [
                "x509", "-req", "-in", folder.file("server.csr"), "-days", "2",
                "-CA", folder.file("authority.pem"), "-CAkey", folder.file("authority.key"),
                "-CAcreateserial", "-extfile", names, "-out", folder.file("server.pem"),
            ],
        ]
        for call in calls {
            let result = try run("openssl", call)
            try #require(result.status == 0, "\(result.errors)")
        }
    }
}
