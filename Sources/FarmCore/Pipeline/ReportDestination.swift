// The destination of published reports: `publish` of a pipeline file.

/// The place where a project's reports get a lasting address.
package struct ReportDestination: Hashable, Sendable, Codable {
    /// The kind of a place.
    package enum Place: Hashable, Sendable, Codable {
        /// A bucket of S3; `prefix` begins the keys of all reports, and is empty or a path without
        /// `/` at its ends.
        case bucket(name: String, prefix: String)
        /// The path of a folder, relative to the pipeline file's folder.
        case folder(String)
        /// A command of the shell that uploads one report.
        case command(String)
    }

    package var place: Place
    /// The server of the bucket, such as `https://host`; if `nil`, that of AWS.
    package var endpoint: String?
    /// The region of the bucket; if `nil`, that of the environment.
    package var region: String?
    /// The URL under which readers find the place, without `/` at its end; `nil` if unknown.
    package var address: String?
    /// The environment variable with the URL of an incoming webhook, or `nil`.
    package var notify: String?

    package init(
        _ place: Place,
        endpoint: String? = nil,
        region: String? = nil,
        address: String? = nil,
        notify: String? = nil
    ) {
        self.place = place
        self.endpoint = endpoint
        self.region = region
        self.address = address
        self.notify = notify
    }
}
