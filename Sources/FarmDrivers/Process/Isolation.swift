// The isolation of a worker's tests by bubblewrap (`snapfarm worker --isolate`, Linux). Everything
// that may run a team's code starts in namespaces of its own: other processes, mounts, IPC and names
// of the machine are out of its reach. This value holds what all of a worker's tests see: tools, read
// only. What one of them sees beside that is its `Enclosure`.
//
// Of /etc only named entries are seen. Its secrets (shadow, the keys of ssh and TLS, a worker's
// token) have no common mark, and a worker that runs as root may read them all.
import FarmCore
import Foundation

/// The isolation of all tests of a worker.
package struct Isolation: Hashable, Sendable {
    /// The network that isolated tests have.
    package enum Network: String, CaseIterable, Sendable {
        /// A loopback of their own, and nothing else.
        case loopback = "none"
        /// The network of the worker, with its loopback.
        case host
    }

    /// The wish for isolation, as the command line expresses it.
    package struct Wish: Hashable, Sendable {
        package var network: Network
        /// Absolute paths of folders or files that tests may read, beside the system's own.
        package var tools: [String]

        package init(network: Network = .host, tools: [String] = []) {
            self.network = network
            self.tools = tools
        }
    }

    package let network: Network
    /// The absolute path of bubblewrap.
    let program: String
    /// The arguments of bubblewrap that show the tools.
    let view: [String]
    /// The words before a program that limit the number of its processes; empty without prlimit.
    let limit: [String]
    /// The paths that all tests can read.
    private let visible: [String]

    /// Finds bubblewrap, and tries once whether it can isolate a child on this machine.
    ///
    /// - Throws: ``IsolationError``.
    package static func tried(
        _ wish: Wish,
        environment: [String: String]
    ) async throws -> Isolation {
        #if os(Linux)
        let isolation = try Isolation(wish, environment: environment)
        let own = try OwnedFolder("isolation")
        defer { own.remove() }
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", "exit 0"],
            environment: ["PATH": "/usr/bin:/bin"],
            folder: "/"
        )
        child.enclosure = try isolation.enclosure(in: own.path)
        child.timeLimitSeconds = FarmLimits.versionSeconds
        let tail = OutputTail()
        do {
            let ending = try await child.run { _, bytes in tail.append(bytes) }
            guard ending != .exited(0) else { return isolation }
            let words = ending.text(limitSeconds: FarmLimits.versionSeconds)
            throw IsolationError.refused(reason: [words, tail.lastLines()].joined(separator: " "))
        } catch DriverError.cannotStart(_, let reason) {
            throw IsolationError.refused(reason: reason)
        }
        #else
        throw IsolationError.wrongSystem
        #endif
    }

    /// Finds bubblewrap and the tools, without trying them.
    package init(_ wish: Wish, environment: [String: String]) throws(IsolationError) {
        network = wish.network
        let places = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let programs = places.map { String($0) + "/bwrap" }
        guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
            throw .programMissing
        }
        self.program = program
        let home = environment["HOME"] ?? ""
        var tools = ToolView(home: home)
        for path in Self.systemFolders { tools.add(system: path) }
        for path in wish.tools {
            guard access(path, F_OK) == 0 else { throw .toolMissing(path) }
            guard tools.add(path) else { throw .toolTooWide(path) }
        }
        for path in Self.tools(of: environment) where access(path, F_OK) == 0 { tools.add(path) }
        for name in Self.settings { tools.add(system: "/etc/" + name) }
        tools.add(system: "/var/cache/fontconfig")
        limit =
            access(Self.limiter, X_OK) == 0
            ? [Self.limiter, "--nproc=\(Self.processesMax)", "--"] : []
        view = tools.arguments
        visible = tools.paths
    }

    /// Returns whether isolated tests can read a path because it lies among the tools.
    package func shows(_ path: String) -> Bool {
        let real = realPath(path) ?? path
        return visible.contains { real == $0 || real.hasPrefix($0 + "/") }
    }

    private static let limiter = "/usr/bin/prlimit"
    /// The most processes and threads of one isolated child: a browser has some 200.
    ///
    /// The kernel exempts root.
    private static let processesMax = 4_096

    private static let systemFolders = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
    ]

    /// The entries of /etc that programs need, and none with a secret.
    ///
    /// Each costs some 0.15 ms at each start of a child.
    private static let settings = [
        "ImageMagick-6", "ImageMagick-7", "alternatives", "ca-certificates", "chromium",
        "chromium.d", "crypto-policies", "fonts", "glvnd", "gradle", "group", "hosts", "java",
        "java-11-openjdk",
        "java-17-openjdk", "java-21-openjdk", "java-25-openjdk", "ld.so.cache", "ld.so.conf",
        "ld.so.conf.d", "localtime", "maven", "mime.types", "nsswitch.conf", "os-release", "passwd",
        "perl", "pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "protocols", "python3",
        "python3.11", "python3.12", "python3.13", "resolv.conf", "services", "ssl/certs",
        "ssl/openssl.cnf", "timezone", "vulkan",
    ]

    /// The variables that name tools, and that tests or browsers get from the machine.
    private static let toolVariables = [
        "JAVA_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "LD_LIBRARY_PATH", "FONTCONFIG_FILE",
        "FONTCONFIG_PATH",
    ]

    /// Returns the folders of the Swift toolchain and of the tools that variables name.
    private static func tools(of environment: [String: String]) -> [String] {
        let named = toolVariables.flatMap { name in
            (environment[name] ?? "").split(separator: ":").map(String.init)
        }
        let swift = (environment["PATH"] ?? "").split(separator: ":")
            .lazy.compactMap { realPath("\($0)/swift") }.first
        let toolchain = swift.flatMap { path in
            path.range(of: "/usr/bin/").map { String(path[..<$0.lowerBound]) }
        }
        return named + [toolchain].compactMap(\.self)
    }
}

/// The tools that isolated children see, as arguments of bubblewrap.
private struct ToolView {
    private(set) var arguments: [String] = []
    private(set) var paths: [String] = []
    private let home: String

    init(home: String) { self.home = home }

    /// Adds a file or folder of the system, if there is one.
    mutating func add(system path: String) {
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
            realPath(path)?.hasPrefix("/usr/") == true, path.parentFolder == "/"
        {
            // `/bin` and its like are links into /usr on most systems.
            arguments += ["--symlink", target, path]
        } else if access(path, F_OK) == 0 {
            arguments += ["--ro-bind-try", path, path]
            paths.append(path)
        }
    }

    /// Adds a tool that is not among those before it; returns false for a path that would show the
    /// user's home or the whole machine.
    @discardableResult
    mutating func add(_ path: String) -> Bool {
        let isWide = path == "/" || (home + "/").hasPrefix(path + "/")
        guard path.hasPrefix("/"), !isWide else { return false }
        if paths.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { return true }
        arguments += ["--ro-bind-try", path, path]
        paths.append(path)
        return true
    }
}

/// Returns the path that a path leads to when all links are followed, or `nil` if there is nothing.
func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// The reason why a worker cannot isolate its tests.
package enum IsolationError: ExplainedError, Equatable {
    case wrongSystem
    case programMissing
    case refused(reason: String)
    case toolMissing(String)
    case toolTooWide(String)
    /// A folder of the worker lies among the tools, so that tests could read it.
    case exposed(String)

    package var code: String {
        switch self {
        case .wrongSystem, .programMissing, .refused: "isolation-unavailable"
        case .toolMissing, .toolTooWide: "isolation-tool"
        case .exposed: "isolation-exposed"
        }
    }
    package var message: String {
        switch self {
        case .wrongSystem: "--isolate needs Linux: this system has nothing like its namespaces."
        case .programMissing: "--isolate needs the program bwrap, and it is not installed."
        case .refused(let reason): "bwrap cannot isolate a program on this machine: \(reason)."
        case .toolMissing(let path): "--isolate-tools \(path): there is nothing at this path."
        case .toolTooWide(let path):
            "--isolate-tools \(path) would show tests the home of the worker's user."
        case .exposed(let path): "isolated tests could read \(path), which lies among the tools."
        }
    }
    package var remedy: String {
        switch self {
        case .wrongSystem:
            "Start the worker without it, with a user of its own (docs/security.md)."
        case .programMissing: "Install it: `apt-get install bubblewrap`."
        case .refused:
            "Allow namespaces to the worker's user (docs/fleet.md, \"A worker that isolates its tests\"), "
                + "or start it without --isolate, with a user or container of its own."
        case .toolMissing: "Correct the path, or leave the option out."
        case .toolTooWide: "Name the folder of the tool itself."
        case .exposed: "Choose another folder with --scratch, --cache or HOME."
        }
    }
    package var exit: ExitCode { .configuration }
}
