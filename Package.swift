// swift-tools-version:6.2
// One program and the libraries it is made of, listed in the order of a picture's path.
// A third-party package is imported by the target that owns its technique; TidyTests list the owners,
// and docs/adr/0001-targets.md says why there are exceptions.
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

func farm(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["FarmTesting"],
        exclude: exclude,
        swiftSettings: strict
    )
}

/// The profiles of snapshot frameworks: data in Sources/FarmPipeline/Frameworks/Profiles.
let frameworkProfiles = [
    "AccessibilitySnapshot", "ComposePreview", "Dropshots", "Flutter", "Paparazzi", "Playwright",
    "Prefire", "Roborazzi", "Shot", "SnapshotPreviews", "alchemist", "generic",
    "iOSSnapshotTestCase", "jest-image-snapshot", "matplotlib", "pytest-mpl", "pytest-snapshot",
    "swift-snapshot-testing",
]

// Style and script of the page, which lie in the program.
let pageFiles = [
    "compare.js", "decide.js", "history.js", "ignore.js", "page.css", "page.js", "review.css",
    "ticks.js", "zoom.js",
]

let package = Package(
    name: "snapfarm",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "snapfarm", targets: ["snapfarm"])],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-crypto", "4.5.2"..<"5.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.28.1",
            traits: []
        ),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        system("CGit2", pkgConfig: "libgit2", apt: "libgit2-dev", brew: "libgit2"),
        system("CPng", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
        system("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        .target(
            name: "CFarmShims",
            dependencies: ["CGit2", "CPng", "CDeflate", "CZlib"],
            // Tests compare hundreds of megapixels: these loops are fast in every build.
            cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]
        ),
        // SQLite's sessions, and libpq, which is loaded when a ledger in PostgreSQL is asked for.
        .target(
            name: "CFarmJournal",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),

        // The documentation, for the coordinator's pages and for agents.
        .target(name: "CFarmDocs"),

        farm("FarmCore", [.product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "FarmPipeline",
            dependencies: ["FarmCore", "Yams"],
            resources: frameworkProfiles.map { .embedInCode("Frameworks/Profiles/\($0).yaml") }
                + ["SKILL.md", "snapfarm_pytest.py"].map { .embedInCode("Setup/Recipes/\($0)") },
            swiftSettings: strict
        ),
        farm("FarmFiles", ["FarmCore", "CFarmShims"]),
        farm("FarmImaging", ["FarmCore", "CFarmShims"]),
        farm(
            "FarmGit",
            [
                "FarmCore", "FarmFiles", "CGit2", "CFarmShims",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        farm("FarmReferences", ["FarmCore", "FarmFiles", "FarmGit", "CFarmShims"]),
        farm(
            "FarmLedger",
            [
                "FarmCore", "CFarmJournal", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        farm(
            "FarmArtifacts",
            [
                "FarmCore", "FarmFiles", "CZlib", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        farm(
            "FarmDrivers",
            [
                "FarmCore", "FarmPipeline", "FarmFiles", "CFarmShims",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(
                    name: "SystemPackage",
                    package: "swift-system",
                    condition: .when(platforms: [.linux])
                ),
            ]
        ),
        .target(
            name: "FarmReports",
            dependencies: ["FarmCore"],
            resources: pageFiles.map { .embedInCode("Page/\($0)") },
            swiftSettings: strict
        ),
        farm(
            "FarmAPI",
            [
                "FarmCore", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        farm(
            "FarmServer",
            [
                "CFarmDocs", "FarmCore", "FarmFiles", "FarmReferences", "FarmLedger",
                "FarmArtifacts", "FarmReports", "FarmAPI",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        farm(
            "FarmWorker",
            [
                "FarmCore", "FarmPipeline", "FarmFiles", "FarmImaging", "FarmReferences",
                "FarmArtifacts", "FarmDrivers", "FarmAPI",
            ]
        ),
        // Nothing here prints, locks or touches a work tree: a server decides by it, too.
        farm(
            "FarmReview",
            ["FarmCore", "FarmImaging", "FarmReferences", "FarmLedger", "FarmArtifacts"]
        ),
        farm(
            "FarmRun",
            [
                "FarmCore", "FarmPipeline", "FarmFiles", "FarmImaging", "FarmGit", "FarmReferences",
                "FarmLedger", "FarmArtifacts", "FarmDrivers", "FarmReports", "FarmAPI",
                "FarmServer", "FarmWorker", "FarmReview",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // Commands and options; what they call is in the libraries.
        .executableTarget(
            name: "snapfarm",
            dependencies: [
                "FarmCore", "FarmPipeline", "FarmFiles", "FarmGit", "FarmReferences", "FarmLedger",
                "FarmArtifacts", "FarmDrivers", "FarmAPI", "FarmServer", "FarmReview", "FarmRun",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            // What a release leaves out, only lld can leave out: deploy/release/link-options.sh.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld"],
                    .when(platforms: [.linux], configuration: .release)
                )
            ]
        ),

        .executableTarget(
            name: "dispatch-load",
            dependencies: ["FarmCore", "FarmAPI", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Benchmarks/dispatch/Load",
            swiftSettings: strict
        ),
        // The farm in one thread, from one seed.
        .target(
            name: "FarmSimulator",
            dependencies: [
                "FarmCore", "FarmLedger", "FarmArtifacts", "FarmAPI", "FarmServer",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/FarmSimulator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["FarmCore", "FarmSimulator"],
            path: "Tests/simulate",
            swiftSettings: strict
        ),

        .target(
            name: "FarmTesting",
            dependencies: ["FarmCore", "CFarmShims"],
            path: "Tests/FarmTesting",
            swiftSettings: strict
        ),
        .target(
            name: "LedgerConformance",
            dependencies: ["FarmCore", "FarmLedger", "FarmTesting"],
            path: "Tests/LedgerConformance",
            swiftSettings: strict
        ),
        .target(
            name: "ReferenceTesting",
            dependencies: ["FarmCore", "FarmGit", "FarmReferences", "FarmTesting"],
            path: "Tests/ReferenceTesting",
            swiftSettings: strict
        ),
        tests("FarmCoreTests", ["FarmCore", "FarmPipeline"]),
        tests("FarmPipelineTests", ["FarmCore", "FarmPipeline", "FarmDrivers"]),
        tests("FarmAPITests", ["FarmCore", "FarmAPI"]),
        tests("FarmImagingTests", ["FarmCore", "FarmImaging"]),
        tests("FarmFilesTests", ["FarmCore", "FarmFiles"]),
        tests("FarmGitTests", ["FarmCore", "FarmGit"]),
        tests(
            "FarmReferencesTests",
            ["FarmCore", "FarmFiles", "FarmGit", "FarmReferences", "ReferenceTesting"]
        ),
        tests(
            "FarmLedgerTests",
            [
                "FarmCore", "FarmLedger", "FarmSimulator", "LedgerConformance",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        tests("FarmSimulatorTests", ["FarmSimulator", "simulate"]),
        tests("FarmArtifactsTests", ["FarmCore", "FarmArtifacts"]),
        tests("FarmDriversTests", ["FarmCore", "FarmPipeline", "FarmDrivers", "CFarmShims"]),
        tests(
            "FarmServerTests",
            [
                "FarmCore", "FarmLedger", "FarmArtifacts", "FarmReports", "FarmAPI", "FarmServer",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        tests(
            "FarmReportsTests",
            ["FarmCore", "FarmImaging", "FarmReports", "FarmRun"],
            exclude: ["Golden"]
        ),
        tests(
            "FarmWorkerTests",
            [
                "FarmCore", "FarmReferences", "FarmLedger", "FarmArtifacts", "FarmDrivers",
                "FarmAPI", "FarmServer", "FarmWorker",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        tests(
            "FarmReviewTests",
            [
                "FarmCore", "FarmImaging", "FarmReferences", "FarmLedger", "FarmArtifacts",
                "FarmReview",
            ]
        ),
        tests(
            "FarmRunTests",
            [
                "FarmCore", "FarmReferences", "FarmLedger", "FarmArtifacts", "FarmReports",
                "FarmAPI", "FarmServer", "FarmReview", "FarmRun",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["CI/StandIn"]
        ),
        tests(
            "EndToEndTests",
            [
                "FarmCore", "FarmPipeline", "FarmImaging", "FarmReferences", "FarmLedger",
                "FarmDrivers", "FarmReports", "FarmAPI", "FarmServer", "FarmRun", "snapfarm",
                "ReferenceTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Golden"]
        ),
        tests(
            "FileFuzzTests",
            ["FarmCore", "FarmPipeline", "FarmImaging", "FarmArtifacts", "FarmDrivers"]
        ),
        tests("TidyTests", []),
    ]
)
