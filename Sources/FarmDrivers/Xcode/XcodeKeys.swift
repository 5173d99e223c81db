// The keys of a job of the driver `xcodebuild` in a pipeline file.
import FarmPipeline

enum XcodeKeys {
    static let job = [
        FileKey(
            "workspace",
            "The workspace to build, relative to this file. It needs a scheme.",
            example: "workspace: App.xcworkspace\nscheme: App"
        ),
        FileKey(
            "project",
            "The project to build, in place of a workspace. It needs a scheme.",
            example: "project: App.xcodeproj\nscheme: App"
        ),
        FileKey(
            "scheme",
            "The scheme, as xcodebuild takes it.",
            example: "workspace: App.xcworkspace\nscheme: App"
        ),
        FileKey(
            "test-plan",
            "The test plan of the scheme.",
            example: "workspace: App.xcworkspace\nscheme: App\ntest-plan: Snapshots",
            defaultValue: "the scheme's own"
        ),
        FileKey(
            "configuration",
            "The build configuration.",
            example: "workspace: App.xcworkspace\nscheme: App\nconfiguration: Release",
            defaultValue: "that of the scheme"
        ),
        FileKey(
            "xctestrun",
            "An .xctestrun file that another build has made, in place of a workspace or project.",
            example: "xctestrun: build/Build/Products/App.xctestrun"
        ),
        FileKey(
            "test-products",
            "An .xctestproducts folder that another build has made.",
            example: "test-products: build/App.xctestproducts"
        ),
        FileKey(
            "targets",
            .list(of: .string),
            "The test targets of this job.",
            example: "workspace: App.xcworkspace\nscheme: App\ntargets: [AppSnapshotTests]",
            defaultValue: "all"
        ),
        FileKey(
            "skip",
            .list(of: .string),
            "Tests that this job leaves out: Target, Target/Class or Target/Class/method.",
            example: "workspace: App.xcworkspace\nscheme: App\nskip: [AppTests/LoginTests]"
        ),
    ]
}
