// Every route of a coordinator, each with a call that names things of one team.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

/// The names of the things that calls ask for.
struct TeamNames {
    var run: String
    var cell: String
    var object: String
    var digest: String
    var artifact: String
    var worker: String
    var lease: String
    var snapshot: String
    var pipeline: String

    /// Names of nothing.
    static let madeUp = TeamNames(
        run: "20200101-000000-0000000000",
        cell: "Z",
        object: String(repeating: "0", count: 40),
        digest: String(repeating: "0", count: 64),
        artifact: "Nothing.zip",
        worker: "nobody",
        lease: "L999999",
        snapshot: "Z/Suite/none",
        pipeline: "none"
    )

    var all: [String] {
        [run, object, digest, artifact, worker, lease, snapshot, pipeline, cell]
    }
}

/// A call of one route.
struct TenancyCall: Sendable {
    /// The method and the pattern, as the server's sources have them.
    let route: String
    let path: @Sendable (TeamNames) -> String
    var body: (@Sendable (TeamNames) throws -> Data)?
    /// Whether the call reads a thing that a caller of the same team gets.
    var isReading = false
    var method: String { String(route.prefix { $0 != " " }) }

    private static func reads(
        _ route: String,
        _ path: @escaping @Sendable (TeamNames) -> String
    ) -> TenancyCall {
        TenancyCall(route: route, path: path, isReading: true)
    }

    private static func sends(
        _ route: String,
        _ path: @escaping @Sendable (TeamNames) -> String,
        _ body: @escaping @Sendable (TeamNames) throws -> any Encodable
    ) -> TenancyCall {
        TenancyCall(route: route, path: path, body: { try JSONEncoder().encode(body($0)) })
    }

    /// The routes of the API, below its prefix.
    static let api: [TenancyCall] = [
        reads("GET runs") { _ in Routes.runs },
        reads("GET runs/:run") { Routes.run($0.run) },
        reads("GET runs/:run/result") { Routes.result($0.run) },
        reads("GET runs/:run/artifacts") { Routes.artifacts($0.run) },
        reads("GET runs/:run/artifacts/:name") { Routes.artifacts($0.run) + "/" + $0.artifact },
        reads("GET runs/:run/decisions") { Routes.decisions($0.run) },
        reads("GET references/:run/:cell") { Routes.references($0.run, $0.cell) },
        reads("GET pictures/:run/:object") { Routes.picture($0.run, $0.object) },
        reads("GET blobs/:digest") { "\(Routes.blob($0.digest))?\(Routes.runQuery)=\($0.run)" },
        reads("HEAD blobs/:digest") { "\(Routes.blob($0.digest))?\(Routes.runQuery)=\($0.run)" },
        reads("GET flaky") { "\(Routes.flaky)?\(Routes.pipelineQuery)=\($0.pipeline)" },
        TenancyCall(route: "GET token", path: { _ in Routes.token }),
        TenancyCall(route: "GET audit", path: { _ in Routes.audit }),
        TenancyCall(route: "GET farm", path: { _ in Routes.farm }),
        sends("POST runs/:run/cancel", { Routes.cancel($0.run) }, { _ in Done() }),
        sends(
            "POST runs/:run/decisions",
            { Routes.decisions($0.run) },
            {
                DecideRequest(kind: .accepted, reason: "ours", snapshots: [$0.snapshot])
            }
        ),
        TenancyCall(
            route: "PUT blobs/:digest",
            path: { Routes.blob($0.digest) },
            body: { _ in Data("other bytes".utf8) }
        ),
        sends(
            "POST blobs/:digest/place",
            { Routes.place($0.digest) },
            { _ in
                PlaceRequest(bytes: 100)
            }
        ),
        sends(
            "POST workers/:worker/claim",
            { Routes.claim($0.worker) },
            {
                ClaimRequest(request: "1 \($0.worker)", warm: nil, waitSeconds: 0)
            }
        ),
        sends("POST workers/:worker/lost", { Routes.lost($0.worker) }, { _ in Done() }),
        sends(
            "POST workers",
            { _ in Routes.workers },
            {
                HelloRequest(worker: WorkerID($0.worker), beginsAnew: true)
            }
        ),
        sends(
            "POST leases/:lease/renew",
            { Routes.renew($0.lease) },
            { _ in
                RenewRequest(epoch: 1, running: nil)
            }
        ),
        sends(
            "POST leases/:lease/verdicts",
            { Routes.verdicts($0.lease) },
            { _ in
                VerdictsRequest(epoch: 1, reports: [])
            }
        ),
        sends(
            "POST leases/:lease/complete",
            { Routes.complete($0.lease) },
            { _ in
                CompleteRequest(
                    epoch: 1,
                    reports: [],
                    evidence: LeaseEvidence(job: JobName("unit_test"), cell: CellID("A"))
                )
            }
        ),
        sends(
            "POST leases/:lease/release",
            { Routes.release($0.lease) },
            { _ in
                ReleaseRequest(epoch: 1)
            }
        ),
    ]

    private static func page(
        _ route: String,
        _ path: @escaping @Sendable (TeamNames) -> String
    ) -> TenancyCall {
        TenancyCall(route: route, path: { "/runs" + path($0) })
    }

    /// The routes of the pages.
    static let pages: [TenancyCall] = [
        page("GET /runs") { _ in "" },
        TenancyCall(route: "GET /farm", path: { _ in "/farm" }),
        TenancyCall(route: "GET /farm/events", path: { _ in "/farm/events" }),
        page("GET /runs/flaky") { "/flaky?pipeline=\($0.pipeline)" },
        page("GET /runs/flaky/:test") { "/flaky/\($0.digest.prefix(12))?pipeline=\($0.pipeline)" },
        page("GET /runs/flaky/pictures/:picture") { "/flaky/pictures/\($0.digest).png" },
        page("GET /runs/:run/progress") { "/\($0.run)/progress" },
        page("GET /runs/:run/progress/events") { "/\($0.run)/progress/events" },
        page("GET /runs/:run/") { "/\($0.run)/" },
        page("GET /runs/:run/page.css") { "/\($0.run)/page.css" },
        page("GET /runs/:run/page.js") { "/\($0.run)/page.js" },
        page("GET /runs/:run/files/**") { "/\($0.run)/files/captures/\($0.snapshot).png" },
        page("GET /runs/:run/thumbs/**") { "/\($0.run)/thumbs/captures/\($0.snapshot).png" },
        page("GET /runs/:run/baseline") { "/\($0.run)/baseline?snapshot=\($0.snapshot)" },
        page("GET /runs/:run/catalogue") { "/\($0.run)/catalogue" },
        page("GET /runs/:run/catalogue/style.css") { "/\($0.run)/catalogue/style.css" },
        page("GET /runs/:run/catalogue/catalogue.js") { "/\($0.run)/catalogue/catalogue.js" },
        page("GET /runs/:run/decisions") { "/\($0.run)/decisions" },
        page("GET /runs/:run/events") { "/\($0.run)/events" },
        page("POST /runs/:run/decisions") { "/\($0.run)/decisions" },
        page("POST /runs/:run/publish") { "/\($0.run)/publish" },
    ]

    /// Routes that show nothing of a pipeline, or whose callers must know a secret of their own.
    static let openToAll: Set<String> = [
        "GET /", "GET /login", "POST /login", "POST /logout", "GET /invite/:code",
        "POST /invite/:code", "GET /assets/runs.css", "GET /assets/runs.js", "GET /favicon.ico",
        "GET /healthz", "GET /readyz", "GET /llms.txt", "GET /docs/**",
        // A test of its own hands in a run.
        "POST runs",
        // Machines, not teams: a submitter sees which workers there are.
        "GET workers",
        // Answers about all pipelines, refused to a token with patterns.
        "GET /metrics", "GET /runs/events",
        // Only `snapfarm review` has these.
        "GET /enter/:entry", "POST /runs/:run/judge",
    ]
}

/// The routes in the sources of the server.
enum ServedRoutes {
    /// The path before the patterns of a file's routes; the routes of other files are the API's.
    private static let places: [String: String] = [
        "LanguageMiddleware.swift": "/", "LocalPage.swift": "/", "EntranceRoutes.swift": "/",
        "StatusRoutes.swift": "/", "ProgramDocs.swift": "/", "PagePictures.swift": "/runs/:run/",
        "PageRoutes.swift": "/runs/:run/", "FlakyRoutes.swift": "/runs/",
        "RunsRoutes.swift": "/runs/",
    ]

    /// Returns each route as method and pattern.
    static func inSources() throws -> Set<String> {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let folder = root.appendingPathComponent("Sources/FarmServer")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        ).compactMap { $0 as? URL }.filter {
            $0.pathExtension == "swift" && $0.lastPathComponent != "AuthMiddleware.swift"
        }
        var routes: Set<String> = []
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let place = places[file.lastPathComponent] ?? ""
            for match in text.matches(of: /\.(get|post|put|head|delete|patch)\("([^"]*)"\)? ?[\){]/)
            {
                let pattern = String(match.2)
                let isRoot = file.lastPathComponent == "RunsRoutes.swift" && pattern.isEmpty
                var path = isRoot ? "/runs" : place + pattern
                if file.lastPathComponent == "FarmRoutes.swift", pattern != "farm" {
                    path = pattern.isEmpty ? "/farm" : "/farm/" + pattern
                }
                routes.insert("\(match.1.uppercased()) \(path)")
            }
        }
        routes.insert("GET /")
        routes.insert("GET /metrics")
        return routes
    }
}
