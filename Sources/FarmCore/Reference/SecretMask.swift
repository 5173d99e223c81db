// The masking of secrets. Tokens reach logs in URLs and in other programs' messages; the code that
// calls a remote masks both before it returns any text.

/// A mask that replaces secrets in texts by `***`.
package struct SecretMask: Sendable, Equatable {
    /// The secrets, the longest first, so that no part of a longer secret remains.
    private let secrets: [String]

    /// Makes a mask of these secrets; empty ones are ignored.
    package init(_ secrets: [String] = []) {
        self.secrets = Set(secrets).filter { !$0.isEmpty }.sorted { left, right in
            (right.utf8.count, left) < (left.utf8.count, right)
        }
    }

    /// Returns the text without the secrets, without snapfarm's tokens, and without the text before
    /// `@` in `https://…@host`.
    ///
    /// In other URLs the user stays and the password is masked.
    package func mask(_ text: String) -> String {
        var text = text
        for secret in secrets { text = text.replacing(secret, with: "***") }
        text = text.replacing(/snapfarm_[0-9a-f]{8,}/, with: "snapfarm_***")
        return maskedAuthorities(in: text)
    }

    private func maskedAuthorities(in text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while let mark = rest.firstRange(of: "://") {
            let scheme = rest[..<mark.lowerBound]
            let authority = rest[mark.upperBound...].prefix {
                !$0.isWhitespace && !"/'\"".contains($0)
            }
            result += rest[..<mark.upperBound]
            rest = rest[authority.endIndex...]
            guard let at = authority.lastIndex(of: "@") else {
                result += authority
                continue
            }
            let info = authority[..<at]
            let isWeb =
                scheme.lowercased().hasSuffix("https") || scheme.lowercased().hasSuffix("http")
            if isWeb {
                result += "***"
            } else if let colon = info.firstIndex(of: ":") {
                result += info[..<colon] + ":***"
            } else {
                result += info
            }
            result += authority[at...]
        }
        return result + rest
    }
}
