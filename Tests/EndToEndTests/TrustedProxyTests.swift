import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A proxy that says who looks", .serialized)
    struct TrustedProxyTests {
        private static let header = "X-Forwarded-User"

        @Test("the header of anybody else is refused on every path")
        func stranger() throws {
            let fleet = try Fleet()
            try fleet.serve(["--trusted-proxy", "127.0.0.9", "--proxy-scope", "review"])
            let visitor = Visitor(fleet, headers: ["\(Self.header): Aiko"])
            for path in ["/runs", "/login", "/api/v1/runs", "/healthz", "/runs/none/"] {
                #expect(try visitor.get(path).status == 403, "\(path)")
            }
            #expect(try Visitor(fleet).get("/login").status == 200)
        }

        @Test("the proxy's word is one name, and lets a person do what its scope says")
        func trusted() throws {
            let fleet = try Fleet()
            try fleet.serve(["--trusted-proxy", "127.0.0.1", "--identity-header", "Remote-User"])
            var visitor = Visitor(fleet, headers: ["Remote-User: Aiko Tanaka"])
            let page = try visitor.get("/runs")
            #expect(page.status == 200 && page.text.contains("<bdi>Aiko Tanaka</bdi>"))
            // The page has no log-out: the proxy decides on the login.
            #expect(!page.text.contains("/logout"))
            #expect(try visitor.get("/api/v1/runs").status == 401)
            // The proxy's default scope is read.
            let answer = try visitor.post("/runs/none/decisions", accepting: "application/json")
            #expect([403, 404].contains(answer.status), "\(answer.text)")
            let twice = Visitor(fleet, headers: ["Remote-User: A", "Remote-User: B"])
            #expect(try twice.get("/runs").status == 400)
            let long = Visitor(
                fleet,
                headers: ["Remote-User: " + String(repeating: "a", count: 400)]
            )
            #expect(try long.get("/runs").status == 400)
            #expect(try Visitor(fleet).get("/runs").status == 303)
        }

        @Test("nginx with auth_request says who looks, whatever the browser says")
        func nginx() throws {
            let fleet = try Fleet()
            try fleet.serve(["--trusted-proxy", "127.0.0.1", "--proxy-scope", "review"])
            let folder = try TemporaryFolder("nginx")
            let port = try TestPort.reserved()
            let settings = try folder.write(
                "nginx.conf",
                Self.settings(folder, port: port, to: fleet.port)
            )
            let nginx = try TestProcess(
                [
                    "/usr/sbin/nginx", "-p", folder.path, "-e", folder.file("start.log"), "-c",
                    settings,
                ],
                environment: ProcessInfo.processInfo.environment
            )
            defer { nginx.kill() }
            try TestPort.awaitListener(on: port)
            func ask(_ headers: [String]) throws -> RawConnection.Response {
                let connection = try RawConnection(port: port)
                let lines =
                    ["GET /runs HTTP/1.1", "Host: farm.test", "Accept: text/html"] + headers
                connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
                return try #require(connection.response(), "\(nginx.errors)")
            }
            let known = try ask(["Cookie: who=aiko", "\(Self.header): Mallory"])
            #expect(known.status == 200 && known.text.contains("<bdi>Aiko Tanaka</bdi>"))
            #expect(!known.text.contains("Mallory"))
            #expect(try ask(["\(Self.header): Mallory"]).status == 401)
        }

        /// Returns nginx's settings.
        ///
        /// Here a cookie names the user; a real proxy asks its own log-in service.
        private static func settings(_ folder: TemporaryFolder, port: Int, to farm: Int) -> String {
            NginxText.settings(
                in: folder,
                http: """
                    map $cookie_who $person { default ""; aiko "Aiko Tanaka"; }
                    server {
                      listen 127.0.0.1:\(port);
                      location / {
                        auth_request /auth;
                        auth_request_set $user $upstream_http_x_user;
                        proxy_pass http://127.0.0.1:\(farm);
                        proxy_set_header Host $http_host;
                        proxy_set_header X-Forwarded-User $user;
                      }
                      location = /auth {
                        internal;
                        proxy_pass http://127.0.0.1:\(port)/service;
                        proxy_pass_request_body off;
                        proxy_set_header Content-Length "";
                      }
                      location = /service {
                        if ($person = "") { return 401; }
                        add_header X-User $person;
                        return 204;
                      }
                    }
                    """
            )
        }
    }
}
