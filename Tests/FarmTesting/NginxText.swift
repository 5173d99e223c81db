// Settings that keep an nginx of a test in its folder.
import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

package enum NginxText {
    /// Returns settings of a server that stays in the foreground; `http` is put into its block
    /// `http`.
    package static func settings(in folder: TemporaryFolder, http: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.file("nginx-\($0)"));" }.joined(separator: "\n")
        return """
            daemon off;
            \(geteuid() == 0 ? "user root;" : "")
            worker_processes 1;
            pid \(folder.file("nginx.pid"));
            error_log \(folder.file("nginx.log"));
            events { worker_connections 64; }
            http {
              access_log off;
              \(temporary)
              \(http)
            }

            """
    }
}
