// The translation of library and system errors into words for people. Libraries print their own
// types, `errno` numbers and source files of the machine that built them; snapfarm's messages must
// not.
import Foundation

extension Error {
    /// The error as a clause without a full stop, for the end of a sentence.
    package var inWords: String {
        let words = ErrorWords.of(self)
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}

private enum ErrorWords {
    static func of(_ error: any Error) -> String {
        switch error {
        case is CancellationError: return "it was stopped"
        case let error as DecodingError: return words(error)
        case let error as any LocalizedError:
            if let words = error.errorDescription { return words }
        case let error as CocoaError: return words(error)
        default: break
        }
        if let error = error as? any ExplainedError { return error.message }
        return words(
            of: "\(error)",
            type: "\(type(of: error))",
            type(of: error) is any CustomStringConvertible.Type
        )
    }

    /// Returns the error's sentence, with the file's path, which Foundation leaves out of most
    /// sentences.
    private static func words(_ error: CocoaError) -> String {
        var reason = error.localizedDescription
        // Foundation prints its error domain when it has no sentence; the underlying error has the
        // reason.
        if reason.contains("NSCocoaErrorDomain") {
            let below = error.underlying.map { $0 as NSError }
            let number = below?.domain == NSPOSIXErrorDomain ? below.map { Int32($0.code) } : nil
            reason =
                number.map { String(cString: strerror($0)).lowercased() }
                ?? "it could not be read or written"
        }
        guard let path = error.filePath, !reason.contains(path) else { return reason }
        return "\(path): \(reason)"
    }

    /// Returns a clause about a document that cannot be decoded, with the field that is missing or
    /// wrong.
    private static func words(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            let path = place(context)
            return "`\(path.isEmpty ? "" : path + ".")\(key.stringValue)` is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let path = place(context)
            return path.isEmpty ? "it has another form" : "`\(path)` has another form"
        case .dataCorrupted(let context):
            let path = place(context)
            return path.isEmpty ? "it is damaged" : "`\(path)` is damaged"
        @unknown default: return "it has another form"
        }
    }

    /// Parts of the texts of network libraries' errors, with their meaning in words.
    ///
    /// Each library has its own types for the same few causes, and this module imports none of the
    /// libraries.
    private static let known = [
        ("NIOTooManyBytesError", "the answer is larger than it may be"),
        ("deadlineExceeded", "it takes too long"), ("imeout", "it takes too long"),
        ("CERTIFICATE_VERIFY_FAILED", "its certificate is not trusted"),
        ("unableToValidateCertificate", "its certificate is not trusted"),
        ("BoringSSL", "it does not speak TLS as it should"),
        ("handshakeFailed", "it does not speak TLS as it should"),
        ("remoteConnectionClosed", "it closed the connection"),
        ("uncleanShutdown", "it closed the connection"),
        ("ChannelError", "it closed the connection"),
        ("HTTPParserError", "it does not speak HTTP"),
        ("connectionErrors: []", "its host name is not known"),
        ("SocketAddressError", "its host name is not known"),
    ]

    private static func words(of text: String, type: String, _ isDescribed: Bool) -> String {
        if let number = text.firstMatch(of: /\(?errno: ([0-9]{1,4})\)?/).flatMap({ Int32($0.1) }) {
            return String(cString: strerror(number)).lowercased()
        }
        for (sign, words) in known where text.contains(sign) || type.contains(sign) { return words }
        // The text contains a path, a type or a call of the library.
        let isCode = [".cc:", ".swift", "Error(", "NIO", "HTTPClient", "/checkouts/"]
            .contains(where: text.contains)
        return isDescribed && !isCode ? text : "for a reason that is not known here (\(type))"
    }
}
