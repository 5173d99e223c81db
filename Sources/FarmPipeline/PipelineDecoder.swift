// Decodes a pipeline file to `Pipeline`. Reports all mistakes at once, each with file:line, the
// fault and a remedy. The keys are those of the JSON Schema.
import FarmCore
import Yams

/// Decodes a pipeline file.
package struct PipelineDecoder {
    var reader: DocumentReader
    let drivers: [any DriverKind]
    var devices: [Device] = []
    var axes: [VariantAxis] = []
    var exclusions: [Exclusion] = []
    /// The lookup of framework profiles; with `nil`, no job may name a framework.
    var frameworks: (any FrameworkLookup)?

    /// Decodes the text of a pipeline file whose jobs may have these `drivers`.
    ///
    /// `file` is its name in messages. Without `frameworks` no job may name one.
    ///
    /// - Throws: all mistakes found, together, including those of users' profiles.
    package static func decode(
        _ text: String,
        file: String,
        drivers: [any DriverKind],
        frameworks: (any FrameworkLookup)? = nil
    ) throws(DocumentErrors) -> Pipeline {
        var decoder = PipelineDecoder(
            reader: DocumentReader(file: file),
            drivers: drivers,
            frameworks: frameworks
        )
        let pipeline = decoder.pipeline(text)
        guard decoder.reader.problems.isEmpty, let pipeline else {
            throw DocumentErrors(problems: decoder.reader.problems)
        }
        return pipeline
    }

    private mutating func pipeline(_ text: String) -> Pipeline? {
        guard let root = reader.root(of: text, what: "pipeline"),
            let entries = reader.mapping(
                root,
                known: PipelineKeys.top(drivers).names,
                what: "the pipeline"
            )
        else { return nil }
        if let version = entries["version"] {
            _ = reader.integer(version, what: "version", in: 1...1)
        } else {
            reader.report(root, "version is missing.", "Begin the file with `version: 1`.")
        }
        let name = entries["name"].flatMap { reader.text($0, what: "name") }
        if let name, !FleetNames.isUsable(name) {
            reader.report(
                entries["name"],
                "name is not one line of at most \(FleetNames.bytesMax) bytes.",
                "Choose a shorter one."
            )
        }
        let settings = entries["references"].flatMap { referenceSettings($0) }
        decodeDevices(entries["devices"])
        decodeVariants(entries["variants"])
        decodeExclusions(entries["exclude"])
        let jobs = decodeJobs(entries["jobs"], root: root, hasReferences: settings != nil)
        let pipeline = Pipeline(
            name: name ?? "pipeline",
            references: settings,
            devices: devices,
            axes: axes,
            jobs: jobs,
            quarantine: entries["quarantine"].map { quarantine($0) } ?? [],
            screens: entries["screens"].flatMap { screens($0) },
            pathsIgnore: entries["pathsIgnore"].map { node in
                rules(node, what: "pathsIgnore").compactMap { pattern($0, what: "a path") }
            } ?? [],
            publish: entries["publish"].flatMap { reportDestination($0) }
        )
        let cells = Planner.matrix(of: pipeline).count
        if cells > FarmLimits.matrixMax {
            reader.report(
                root,
                "the jobs have \(cells) cells together.",
                "At most \(FarmLimits.matrixMax); split the pipeline."
            )
        }
        return pipeline
    }

    private mutating func referenceSettings(_ node: Node) -> ReferenceSettings? {
        guard
            let entries = reader.mapping(
                node,
                known: PipelineKeys.references.names,
                what: "references"
            )
        else { return nil }
        guard let store = entries["store"] else {
            reader.report(
                node,
                "references has no store.",
                "Name its path or Git URL: `store: ../app-references.git`."
            )
            return nil
        }
        let pinPath = entries["pin"].flatMap { reader.text($0, what: "references.pin") }
        return ReferenceSettings(
            store: reader.text(store, what: "references.store") ?? "",
            pinPath: pinPath ?? "snapfarm.refs",
            renames: entries["renames"].map { renames($0) } ?? [],
            reencode: entries["reencode"].map { node in
                rules(node, what: "references.reencode").compactMap {
                    pattern($0, what: "a suite pattern")
                }
            } ?? []
        )
    }

    /// Decodes screens: a list of names, or the path of a file that contains them.
    private mutating func screens(_ node: Node) -> ScreenList? {
        if case .scalar = node { return reader.text(node, what: "screens").map { .file($0) } }
        var seen: Set<String> = []
        let items = reader.list(node, what: "screens")
        if items.count > FarmLimits.screensMax {
            reader.report(
                node,
                "screens has \(items.count) entries.",
                "At most \(FarmLimits.screensMax)."
            )
        }
        let names = items.prefix(FarmLimits.screensMax).compactMap { item -> String? in
            guard let name = reader.text(item, what: "a screen") else { return nil }
            guard ScreenList.isName(name) else {
                reader.report(
                    item,
                    "a screen's name is empty, too long or not one line.",
                    "Name it as the reports do: `Cart/testEmpty`."
                )
                return nil
            }
            return seen.insert(name).inserted ? name : nil
        }
        return .named(names)
    }

    /// Decodes a list that is searched for every picture or file.
    ///
    /// Reports a list that is too long.
    mutating func rules(_ node: Node, what: String) -> [Node] {
        let items = reader.list(node, what: what)
        checkCount(items.count, node, what: what, of: "entries")
        return items
    }

    /// Decodes a text that is matched against many names.
    mutating func pattern(_ node: Node, what: String) -> String? {
        short(node, what: what, bytesMax: FarmLimits.patternBytesMax)
    }

    mutating func short(_ node: Node, what: String, bytesMax: Int) -> String? {
        guard let text = reader.text(node, what: what) else { return nil }
        if text.utf8.count > bytesMax {
            reader.report(
                node,
                "\(what) has \(text.utf8.count) bytes.",
                "At most \(bytesMax)."
            )
        }
        return text
    }

    mutating func checkCount(_ count: Int, _ node: Node, what: String, of things: String) {
        guard count > FarmLimits.rulesMax else { return }
        reader.report(
            node,
            "\(what) has \(count) \(things).",
            "At most \(FarmLimits.rulesMax); patterns may hold `*` and `?`."
        )
    }

    private mutating func renames(_ node: Node) -> [RenameRule] {
        rules(node, what: "references.renames").compactMap { item in
            guard
                let entries = reader.mapping(
                    item,
                    known: PipelineKeys.rename.names,
                    what: "a rename"
                ),
                let from = entries["from"].flatMap({ reader.text($0, what: "from") }),
                let to = entries["to"].flatMap({ reader.text($0, what: "to") })
            else {
                reader.report(
                    item,
                    "a rename needs both names.",
                    "Write `{from: \"{screen}-iPhone-15\", to: \"{screen}-iPhone-16\"}`."
                )
                return nil
            }
            do throws(RenameRuleError) {
                return try RenameRule(old: from, new: to)
            } catch {
                reader.report(item, error.message, error.remedy)
                return nil
            }
        }
    }

    // MARK: matrix

    private mutating func decodeDevices(_ node: Node?) {
        guard let node else { return }
        var seen: [String: Int] = [:]
        for item in reader.list(node, what: "devices") {
            guard let device = device(item) else { continue }
            let id = Matrix.cellID(device: device, variant: []).text
            if let line = seen[id] {
                reader.report(
                    item,
                    "\(device.title) is the same cell as the device of line \(line).",
                    "Remove one of them.",
                    code: "duplicate-cell"
                )
                continue
            }
            seen[id] = item.mark?.line ?? 0
            devices.append(device)
        }
        for device in devices {
            guard let name = device.succeeds, !devices.contains(where: { $0.isSpelled(name) })
            else { continue }
            // A predecessor may have left the matrix. Then it must be a device of the catalogue.
            let spelled = DeviceName(name)
            if DeviceCatalogue.entry(named: spelled.name) == nil {
                reader.report(
                    node,
                    "\(device.title) succeeds \"\(name)\", which is no known device.",
                    "Name it as in this file or in the catalogue: iPhone 8 (13.1)."
                )
            }
        }
    }

    private mutating func device(_ node: Node) -> Device? {
        if case .scalar = node {
            return reader.text(node, what: "a device").flatMap { text in
                let spelled = DeviceName(text)
                return metrics(
                    spelled.name,
                    os: spelled.os,
                    explicit: nil,
                    succeeds: nil,
                    at: node
                )
            }
        }
        guard let entries = reader.mapping(node, known: PipelineKeys.device.names, what: "a device")
        else { return nil }
        guard let nameNode = entries["name"], let name = reader.text(nameNode, what: "device name")
        else {
            reader.report(node, "a device has no name.", "Write `name: iPhone 8`.")
            return nil
        }
        let spelled = DeviceName(name)
        let os = entries["os"].flatMap { reader.text($0, what: "os") } ?? spelled.os
        if let os, !DeviceName.isVersion(os) {
            reader.report(
                entries["os"] ?? node,
                "os is \"\(os)\".",
                "Write a version such as \"13.1\"."
            )
        }
        let width = entries["width"].flatMap {
            reader.integer($0, what: "width", in: FarmLimits.devicePoints)
        }
        let height = entries["height"].flatMap {
            reader.integer($0, what: "height", in: FarmLimits.devicePoints)
        }
        let scale = entries["scale"].flatMap {
            reader.number($0, what: "scale", in: FarmLimits.deviceScales)
        }
        var explicit: DeviceCatalogue.Entry?
        if let width, let height {
            explicit = DeviceCatalogue.Entry(
                name: spelled.name,
                width: width,
                height: height,
                scale: scale ?? 1
            )
        } else if width != nil || height != nil {
            reader.report(node, "a device has only one of width and height.", "Give both.")
        }
        let succeeds = entries["succeeds"].flatMap { reader.text($0, what: "succeeds") }
        var device = metrics(
            spelled.name,
            os: os,
            explicit: explicit,
            succeeds: succeeds,
            at: node
        )
        device?.needs = entries["needs"].flatMap { needs($0, what: "device \(name)") }
        return device
    }

    private mutating func metrics(
        _ name: String,
        os: String?,
        explicit: DeviceCatalogue.Entry?,
        succeeds: String?,
        at node: Node
    ) -> Device? {
        let known = DeviceCatalogue.entry(named: name)
        guard let entry = explicit ?? known else {
            let near = nearest(name, among: DeviceCatalogue.names)
            reader.report(
                node,
                "unknown device \"\(name)\".",
                (near.map { "Did you mean \"\($0)\"? " } ?? "")
                    + "Or give its metrics in points: "
                    + "{name: \(name), width: 375, height: 667, scale: 2}.",
                code: "unknown-device"
            )
            return nil
        }
        return Device(
            name: known?.name ?? name,
            os: os,
            width: entry.width,
            height: entry.height,
            scale: entry.scale,
            succeeds: succeeds
        )
    }

    private mutating func decodeVariants(_ node: Node?) {
        guard let node else { return }
        axes = variants(node, what: "variants")
    }

    mutating func variants(_ node: Node, what: String) -> [VariantAxis] {
        reader.orderedMapping(node, what: what).compactMap { key, value in
            guard let name = reader.text(key, what: "an axis of \(what)") else { return nil }
            var values: [String] = []
            for item in reader.list(value, what: "\(what).\(name)") {
                guard let text = reader.text(item, what: "a value of \(name)") else { continue }
                if values.contains(text) {
                    reader.report(
                        item,
                        "\(name) has the value \"\(text)\" twice.",
                        "Remove one of them.",
                        code: "duplicate-cell"
                    )
                } else {
                    values.append(text)
                }
            }
            return values.isEmpty ? nil : VariantAxis(name: name, values: values)
        }
    }

    private mutating func decodeExclusions(_ node: Node?) {
        guard let node else { return }
        let known = ["device"] + axes.map(\.name)
        for item in reader.list(node, what: "exclude") {
            guard let entries = reader.mapping(item, known: known, what: "an exclusion")
            else { continue }
            var exclusion = Exclusion(device: nil, variant: [:])
            for (key, value) in entries {
                guard let text = reader.text(value, what: "exclude.\(key)") else { continue }
                if key == "device" {
                    exclusion.device = text
                } else {
                    exclusion.variant[key] = text
                }
            }
            exclusions.append(exclusion)
            let all = Matrix.cells(devices: devices, axes: axes, excluding: [])
            let left = Matrix.cells(devices: devices, axes: axes, excluding: [exclusion])
            if all.count == left.count {
                reader.report(
                    item,
                    "this exclusion covers no cell.",
                    "Check the spelling of its device and values."
                )
            }
        }
    }
}
