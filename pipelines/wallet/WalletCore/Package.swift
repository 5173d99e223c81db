// swift-tools-version:6.0
// The rules of the demo wallet: what the demo's unit job tests. It has no dependencies.
import PackageDescription

let package = Package(
    name: "WalletCore",
    targets: [
        .target(name: "WalletCore"),
        .testTarget(name: "WalletCoreTests", dependencies: ["WalletCore"]),
    ]
)
