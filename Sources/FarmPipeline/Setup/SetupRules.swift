// The rules of `snapfarm init`, from the contents of a repository to a proposal. They only read
// names and texts of files, so that tests can give them made-up trees.
//
// Invariants
//   - No file of the repository is replaced: files are new, or get lines at their end.
//   - A value that the repository does not state is a guess, and is marked as one for people.
import FarmCore

/// Proposes a setup of snapfarm for a repository.
package struct SetupRules {
    let files: ProjectFiles
    let fastlane: FastlaneFacts
    var proposal = Proposal()
    var jobs: [ProposedJob] = []
    var needsDevices = false
    /// The devices whose sizes the repository states.
    ///
    /// If empty, fastlane's or guessed ones are used.
    var devices: [PipelineText.Device] = []

    private init(_ files: ProjectFiles) {
        self.files = files
        fastlane = FastlaneFacts(files)
    }

    /// Returns the proposal for a repository in a folder with this name.
    ///
    /// With a skill, the proposal has a file for agents, too.
    package static func proposal(
        for files: ProjectFiles,
        folder: String,
        withSkill: Bool = false
    ) -> Proposal {
        var rules = SetupRules(files)
        let name = ProjectName.from(folder)
        if let path = ["snapfarm.yaml", "snapfarm.yml"].first(where: files.has) {
            rules.proposal.open.append(
                "\(path) is there already: snapfarm init does not change it. Look at it with "
                    + "`snapfarm plan`."
            )
            rules.addSkill(isWanted: withSkill)
            return rules.proposal
        }
        rules.addXcode()
        rules.addPackages()
        rules.addPython()
        rules.addGradle()
        rules.addMaven()
        rules.addNode()
        rules.addWeb()
        rules.addReferences()
        rules.finish(name)
        if withSkill || !rules.proposal.isEmpty { rules.addSkill(isWanted: withSkill) }
        return rules.proposal
    }

    mutating func add(_ file: ProposedFile) {
        guard !files.has(file.path) || file.appends else {
            proposal.open.append(
                "\(file.path) is there already: init leaves it, and proposes nothing in its place."
            )
            return
        }
        proposal.files.append(file)
    }

    /// The names of reference folders that `snapfarm refs import` reads without a pattern.
    private static let referenceFolders = [
        "ReferenceImages_64", "ReferenceImages", "__Snapshots__", "__image_snapshots__",
        "bitmaps_reference", ".loki/reference", ".lostpixel/baseline", ".reg/expected",
    ]

    /// Adds the reference pictures in the repository to the proposal; a command of its own moves
    /// them into the store.
    private mutating func addReferences() {
        let folders = Self.referenceFolders.flatMap { path in
            files.folders(named: path.pathParts.last ?? path).filter {
                ("/" + $0).hasSuffix("/" + path)
            }
        }.filter { folder in files.below(folder).contains { $0.hasSuffix(".png") } }
        guard !folders.isEmpty else { return }
        let count = folders.reduce(0) { sum, folder in
            sum + files.below(folder).count { $0.hasSuffix(".png") }
        }
        proposal.found.append(
            "\(count) reference picture\(count == 1 ? "" : "s") in \(folders.prefix(3).joined(separator: ", "))"
                + (folders.count > 3 ? " and \(folders.count - 3) more folders" : "")
        )
        if jobs.contains(where: \.hasReferences) {
            proposal.next.append(
                "snapfarm refs import --dry-run   # what the store would take over"
            )
        }
    }

    private mutating func finish(_ name: String) {
        guard !jobs.isEmpty else {
            if proposal.found.isEmpty {
                proposal.open.append(
                    "Nothing was found that snapfarm can set up by itself. docs/pipeline.md shows how a "
                        + "pipeline file is written by hand; docs/command.md runs any test program."
                )
            }
            return
        }
        let devices = needsDevices ? (devices.isEmpty ? proposedDevices() : devices) : []
        let text = PipelineText.render(
            name: name,
            devices: devices,
            languages: needsDevices ? fastlane.languages : [],
            jobs: jobs
        )
        proposal.files.insert(
            ProposedFile(path: "snapfarm.yaml", text: text, appends: false),
            at: 0
        )
        addIgnored()
        addProvider()
        let hasReferences = jobs.contains(where: \.hasReferences)
        let imports = proposal.next
        proposal.next =
            ["snapfarm plan snapfarm.yaml     # what would run; runs nothing"]
            + (hasReferences ? ["snapfarm refs init              # makes the reference store"] : [])
            + imports
            + ["snapfarm doctor                 # what this machine and the project lack"]
            + (hasReferences
                ? [
                    "snapfarm run snapfarm.yaml --mode record   # makes the references that are missing"
                ]
                : [])
            + ["snapfarm run snapfarm.yaml"]
    }

    /// Returns fastlane's devices, and also guessed ones if the size of none is known.
    private mutating func proposedDevices() -> [PipelineText.Device] {
        let isXcode = jobs.contains { $0.entries.contains { $0.value == "xcodebuild" } }
        var devices: [PipelineText.Device] = []
        for device in fastlane.devices {
            let isKnown = DeviceCatalogue.entry(named: DeviceName(device).name) != nil
            devices.append(
                PipelineText.Device(
                    name: device,
                    note: isKnown ? "from fastlane" : nil,
                    isKnown: isKnown
                )
            )
            if !isKnown {
                proposal.open.append(
                    "snapfarm does not know the device \"\(device)\": give its size in points, as "
                        + "{name: …, width: 393, height: 852, scale: 3}."
                )
            }
        }
        for path in fastlane.computed {
            proposal.open.append(
                "\(path) computes its devices: look whether those of snapfarm.yaml are yours."
            )
        }
        if !devices.contains(where: \.isKnown) {
            let usual = isXcode ? ["iPhone 16 (18.5)"] : ["iPhone 16", "Desktop"]
            devices += usual.map { name in
                PipelineText.Device(name: name, note: "guessed", isKnown: true)
            }
        }
        return devices
    }

    private mutating func addIgnored() {
        let present = files.text(".gitignore") ?? ""
        let lines = Set(present.split(separator: "\n").map { $0.filter { $0 != " " } })
        let missing = [".snapfarm/", "snapfarm-out/"].filter { line in
            !lines.contains(line) && !lines.contains("/" + line)
                && !lines.contains(String(line.dropLast()))
        }
        guard !missing.isEmpty else { return }
        let start = present.isEmpty || present.hasSuffix("\n") ? "" : "\n"
        proposal.files.append(
            ProposedFile(
                path: ".gitignore",
                text: start + missing.joined(separator: "\n") + "\n",
                appends: files.has(".gitignore")
            )
        )
    }
}
