// The location of a store in `references.store`: a folder, or a Git URL of a kind that only moves
// data. Git itself accepts more (`ext::` runs a command, a leading dash is an option). So the text
// is parsed here once, and Git only gets the parsed parts.
//
// Invariant: `url` and `description` never contain a password or a token.
import Foundation

/// The location of a reference store.
package struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, Codable {
        case path
        case file
        case git
        case ssh
        case https
    }

    package let kind: Kind
    /// The host of the store, or empty for the kinds `path` and `file`.
    package let host: String
    /// The port of the host, or `nil` for the kind's default.
    package let port: Int?
    package let user: String?
    /// The password or token of an HTTPS URL (the text between `:` and `@`, or alone before `@`);
    /// `nil` if there is none.
    package let password: String?
    /// The path of the store: absolute for `path` and `file`; decoded, in the remote shell's form
    /// for `ssh`; unchanged for `git` and `https`.
    package let path: String

    /// The most bytes of a location's text.
    package static let bytesMax = 4_096

    /// Parses the location of a store; a relative path starts at `folder`, which is absolute.
    package init(
        parsing text: String,
        relativeTo folder: String
    ) throws(StoreLocationError) {
        let shown = SecretMask().mask(String(text.prefix(200)))
        guard !text.isEmpty else { throw .refused(shown, fact: "it is empty") }
        guard text.utf8.count <= Self.bytesMax else {
            throw .refused(shown, fact: "it has more than \(Self.bytesMax) bytes")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .refused(shown, fact: "it holds a control character")
        }
        // Git reads bytes, so an accent must not hide a colon, a slash or a dash.
        guard !text.hidesSigns else {
            throw .refused(shown, fact: "an accent hides one of its signs")
        }
        guard !text.hasPrefix("-") else {
            throw .refused(shown, fact: "Git would take its leading dash for an option")
        }
        let beforeSlash = text.prefix { $0 != "/" }
        if let colons = beforeSlash.range(of: "::") {
            // The rest may hold a secret in any form, so only the helper's name is shown.
            let helper = beforeSlash[..<colons.lowerBound]
            let isName = helper.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            let name = (isName ? String(helper) : "***") + "::"
            throw .refused(
                "\(name)…",
                fact: "`\(name)` names a remote helper, which runs a program"
            )
        }
        if let split = text.range(of: "://") {
            let parts = (scheme: text[..<split.lowerBound], rest: text[split.upperBound...])
            try self.init(scheme: parts.scheme.lowercased(), rest: parts.rest, shown: shown)
        } else if let colon = beforeSlash.firstIndex(of: ":") {
            // Git's rule: with a colon before the first slash, the text is `host:path`.
            let authority = try Authority(text[..<colon], shown: shown)
            try self.init(ssh: authority, path: String(text[text.index(after: colon)...]), shown)
        } else {
            let absolute = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            self.init(kind: .path, authority: Authority(), path: Self.standard(absolute))
        }
    }

    private init(
        scheme: String,
        rest: Substring,
        shown: String
    ) throws(StoreLocationError) {
        let authorityText = rest.prefix { $0 != "/" }
        let path = String(rest[authorityText.endIndex...])
        switch scheme {
        case "file":
            guard authorityText.isEmpty || authorityText == "localhost" else {
                throw .refused(shown, fact: "a file URL names no other host")
            }
            let decoded = try Self.decoded(path, shown)
            self.init(kind: .file, authority: Authority(), path: Self.standard(decoded))
        case "ssh", "git+ssh", "ssh+git":
            let authority = try Authority(authorityText, shown: shown)
            let decoded = try Self.decoded(path, shown)
            // In a URL, `/~user/x` stands for the remote user's home folder.
            let remote = decoded.hasPrefix("/~") ? String(decoded.dropFirst()) : decoded
            try self.init(ssh: authority, path: remote, shown)
        case "git", "https":
            let authority = try Authority(authorityText, shown: shown)
            guard path.count > 1, path.allSatisfy({ !" \"<>\\#?".contains($0) }) else {
                throw .refused(shown, fact: "it names no repository on the host")
            }
            guard scheme == "https" || authority.user == nil else {
                throw .refused(shown, fact: "a git URL has no user")
            }
            self.init(kind: scheme == "git" ? .git : .https, authority: authority, path: path)
        case "http":
            throw .refused(shown, fact: "http shows tokens and pictures to everyone on the way")
        default:
            throw .refused(shown, fact: "`\(scheme)` is no kind of store")
        }
    }

    private init(
        ssh authority: Authority,
        path: String,
        _ shown: String
    ) throws(StoreLocationError) {
        guard authority.password == nil else {
            throw .refused(shown, fact: "ssh takes no password from a URL")
        }
        guard !path.isEmpty, path != "/", !path.hasPrefix("-") else {
            throw .refused(shown, fact: "it names no repository on the host")
        }
        self.init(kind: .ssh, authority: authority, path: path)
    }

    private init(kind: Kind, authority: Authority, path: String) {
        self.kind = kind
        host = authority.host
        port = authority.port
        // HTTPS URLs contain tokens as a name alone before `@`.
        let isToken = kind == .https && authority.password == nil
        user = isToken ? nil : authority.user
        password = isToken ? authority.user : authority.password
        self.path = path
    }

    /// The path of a store on this machine, or `nil` for a remote store.
    package var localPath: String? { kind == .path || kind == .file ? path : nil }

    /// The path or URL to pass to Git, without secrets.
    package var url: String {
        let address = host.contains(":") ? "[\(host)]" : host
        let authority = address + (port.map { ":\($0)" } ?? "")
        switch kind {
        case .path: return path
        case .file: return "file://" + Self.encoded(path)
        case .git: return "git://\(authority)\(path)"
        case .https: return "https://\(authority)\(path)"
        case .ssh:
            let account = user.map { "\($0)@" } ?? ""
            guard path.hasPrefix("/") || path.hasPrefix("~") || port != nil else {
                return "\(account)\(address):\(path)"
            }
            let rooted = path.hasPrefix("/") ? path : "/\(path.hasPrefix("~") ? "" : "~/")\(path)"
            return "ssh://\(account)\(authority)\(Self.encoded(rooted))"
        }
    }

    /// The location of the store for people, with masked secrets.
    package var description: String {
        guard kind == .https, user != nil || password != nil else { return url }
        return "https://***@" + url.dropFirst("https://".count)
    }

    private static func standard(_ path: String) -> String {
        let standard = URL(fileURLWithPath: path).standardizedFileURL.path
        return standard.count > 1 && standard.hasSuffix("/")
            ? String(standard.dropLast()) : standard
    }

    private static func decoded(
        _ text: String,
        _ shown: String
    ) throws(StoreLocationError) -> String {
        guard let plain = text.removingPercentEncoding, plain.hasPrefix("/"), plain.count > 1,
            plain.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .refused(shown, fact: "its path is not one") }
        return plain
    }

    private static func encoded(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}

/// The part `user:password@host:port` of a URL.
private struct Authority {
    var user: String?
    var password: String?
    var host = ""
    var port: Int?

    init() {}

    init(_ text: Substring, shown: String) throws(StoreLocationError) {
        var rest = text
        if let at = text.lastIndex(of: "@") {
            let info = text[..<at].split(separator: ":", maxSplits: 1).map(String.init)
            user = info.first?.removingPercentEncoding
            password = info.count > 1 ? info[1].removingPercentEncoding : nil
            rest = text[text.index(after: at)...]
            guard let user, !user.isEmpty, !user.hasPrefix("-"),
                (user + (password ?? "")).unicodeScalars.allSatisfy({ $0 > " " && $0 != "\u{7F}" })
            else { throw .refused(shown, fact: "its user is not one") }
        }
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            guard host.allSatisfy({ $0.isHexDigit || ":.".contains($0) }), host.contains(":") else {
                throw .refused(shown, fact: "its host is not one")
            }
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
            guard !host.isEmpty, !host.hasPrefix("-"),
                host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
                )
            else { throw .refused(shown, fact: "its host is not one") }
        }
        guard !rest.isEmpty else { return }
        guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()), (1...65_535).contains(number)
        else { throw .refused(shown, fact: "its port is not one") }
        port = number
    }
}

/// The reason why a location is refused; the error shows the location with masked secrets.
package enum StoreLocationError: ExplainedError, Equatable {
    case refused(String, fact: String)

    package var code: String { "store-location-refused" }
    package var exit: ExitCode { .invalidInput }
    package var message: String {
        switch self {
        case .refused(let text, let fact): "`references.store: \(text)`: \(fact)."
        }
    }
    package var remedy: String {
        """
        Write a path, or a URL like https://host/team/references.git, \
        git@host:team/references.git, ssh://, git:// or file://.
        """
    }
}
