// swift-tools-version:6.2
// Run by hand; see README.md. A package of its own, so that `swift build` of the product is not
// slowed down; `Sources/FarmCore` is a link to the product's.
import PackageDescription

let package = Package(
    name: "snapfarm-moves",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", "4.5.2"..<"5.0.0")
    ],
    targets: [
        .target(
            name: "FarmCore",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")]
        ),
        .executableTarget(name: "moves", dependencies: ["FarmCore"]),
    ]
)
