// Decodes `launchers:` of a coordinator's configuration: the places where workers are started when
// test cases wait.
import FarmCore
import Yams

extension CoordinatorSettingsDecoder {
    private static let launcherKeys = [
        "name", "kind", "offers", "min", "max", "tests", "idle", "start-within", "cost-per-hour",
        "coordinator", "token", "variables",
    ]
    private static let keysOfKind: [LauncherPlace.Kind: [String]] = [
        .local: [],
        .command: ["check", "start", "list", "stop"],
    ]
    /// The former launcher kinds that are scripts now, with the keys that became variables.
    private static let scripts = [
        "slurm": ["constraint", "partition", "program"],
        "kubernetes": [
            "namespace", "image", "secret", "service-account", "node-selector", "resources",
        ],
    ]

    mutating func launchers(_ node: Node) -> [LauncherSettings] {
        let nodes = reader.list(node, what: "launchers")
        guard nodes.count <= FarmLimits.launchersMax else {
            reader.report(
                node,
                "there are \(nodes.count) launchers; at most \(FarmLimits.launchersMax) are asked.",
                "Give launchers of one kind one entry with a higher max."
            )
            return []
        }
        var names: Set<String> = []
        return nodes.compactMap { node in
            guard let settings = launcher(node) else { return nil }
            if !names.insert(settings.name).inserted {
                reader.report(
                    node,
                    "two launchers have the name \(settings.name).",
                    "Give each a name of its own: it begins the names of its workers."
                )
            }
            return settings
        }
    }

    private mutating func launcher(_ node: Node) -> LauncherSettings? {
        if let kind = node.mapping?["kind"]?.string, let keys = Self.scripts[kind] {
            reportScript(node, kind, keys)
            return nil
        }
        let every = Self.launcherKeys + Self.keysOfKind.values.flatMap(\.self).sorted()
        guard let entries = reader.mapping(node, known: every, what: "a launcher") else {
            return nil
        }
        let name = entries["name"].flatMap { launcherName($0) }
        let kind = entries["kind"].flatMap {
            reader.word($0, as: LauncherPlace.Kind.self, what: "kind")
        }
        let max = entries["max"].flatMap {
            reader.integer($0, what: "max", in: 1...FarmLimits.launchedWorkersMax)
        }
        for (key, what) in [("name", "a name"), ("kind", "a kind"), ("max", "a max")]
        where entries[key] == nil {
            reader.report(
                node,
                "a launcher has no \(key).",
                "Give it \(what), as in `{name: here, kind: local, max: 4, token: WORKER_TOKEN}`."
            )
        }
        guard let name, let kind, let max else { return nil }
        let what = "the launcher \(name)"
        for (key, value) in entries.sorted(by: { $0.key < $1.key })
        where !Self.launcherKeys.contains(key) && Self.keysOfKind[kind]?.contains(key) != true {
            let kinds = Self.keysOfKind.filter { $0.value.contains(key) }.map(\.key.rawValue)
            reader.report(
                value,
                "\(what) is of the kind \(kind.rawValue), which has no \(key).",
                "\(key) belongs to the kind \(kinds.sorted().joined(separator: ", "))."
            )
        }
        guard let place = place(kind, entries, node, what: what) else { return nil }
        var settings = LauncherSettings(
            name: name,
            place: place,
            offers: entries["offers"].map { offers($0, what: what) } ?? WorkerOffer(),
            max: max
        )
        decode(entries, into: &settings, what: what)
        check(settings, entries, node, what: what)
        return settings
    }

    private mutating func launcherName(_ node: Node) -> String? {
        guard let name = reader.text(node, what: "name of a launcher") else { return nil }
        guard LauncherSettings.isName(name) else {
            reader.report(
                node,
                "name of a launcher is \"\(name.prefix(80))\".",
                "Write 1 to 30 small letters, digits and single hyphens, a letter first."
            )
            return nil
        }
        return name
    }

    private mutating func decode(
        _ entries: [String: Node],
        into settings: inout LauncherSettings,
        what: String
    ) {
        if let value = entries["min"].flatMap({
            reader.integer($0, what: "min of \(what)", in: 0...settings.max)
        }) {
            settings.min = value
        }
        if let value = entries["tests"].flatMap({
            reader.integer($0, what: "tests of \(what)", in: 1...1_000_000)
        }) {
            settings.testsPerWorker = value
        }
        if let value = entries["idle"].flatMap({
            reader.seconds($0, what: "idle of \(what)")
        }) {
            settings.idleSeconds = value
        }
        if let value = entries["start-within"].flatMap({
            reader.seconds($0, what: "start-within of \(what)")
        }) {
            settings.startSeconds = value
        }
        settings.costPerHour = entries["cost-per-hour"].flatMap {
            reader.number($0, what: "cost-per-hour of \(what)", in: 0...1_000_000)
        }
        settings.coordinator = entries["coordinator"].flatMap { coordinator($0, what: what) }
        let hasNone = entries["token"]?.string == "none" && settings.place != .local
        settings.token =
            hasNone ? nil : entries["token"].flatMap { variable($0, what: "token of \(what)") }
        if let node = entries["variables"] {
            for item in reader.list(node, what: "variables of \(what)") {
                addVariable(item, to: &settings, what: what)
            }
        }
    }

    private mutating func addVariable(
        _ node: Node,
        to settings: inout LauncherSettings,
        what: String
    ) {
        guard let text = node.string, let equals = text.firstIndex(of: "="),
            Self.isVariable(String(text[..<equals]))
        else {
            guard let name = variable(node, what: "a variable of \(what)") else { return }
            settings.variables[name] = .some(nil)
            return
        }
        settings.variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }

    private mutating func check(
        _ settings: LauncherSettings,
        _ entries: [String: Node],
        _ node: Node,
        what: String
    ) {
        if settings.place != .local, entries["coordinator"] == nil {
            reader.report(
                node,
                "\(what) does not say how its workers reach the coordinator.",
                "Write `coordinator: https://farm.example.org`, as such a worker would call it."
            )
        }
        if entries["token"] == nil {
            let none = settings.place == .local ? "" : " If they have one: `token: none`."
            reader.report(
                node,
                "\(what) has no token for its workers.",
                "Name the variable of the coordinator's environment that holds one with the scope "
                    + "work: `token: WORKER_TOKEN`.\(none)"
            )
        }
    }

    private mutating func coordinator(_ node: Node, what: String) -> String? {
        guard let url = reader.text(node, what: "coordinator of \(what)") else { return nil }
        guard Self.isWebAddress(url) else {
            reader.report(
                node,
                "coordinator of \(what) is no http or https address.",
                "Write https://HOST, as its workers would call it."
            )
            return nil
        }
        return url
    }

    private mutating func offers(_ node: Node, what: String) -> WorkerOffer {
        var offer = WorkerOffer()
        for item in reader.list(node, what: "offers of \(what)") {
            guard let word = reader.text(item, what: "an offer of \(what)") else { continue }
            do throws(OfferMistake) {
                try offer.add(word: word)
            } catch {
                reader.report(item, "\(what): \(error.message)", "Write NAME or NAME=VALUE.")
            }
        }
        return offer
    }

    // MARK: kinds

    private mutating func place(
        _ kind: LauncherPlace.Kind,
        _ entries: [String: Node],
        _ node: Node,
        what: String
    ) -> LauncherPlace? {
        switch kind {
        case .local: return .local
        case .command:
            let words = ["check", "start", "list", "stop"].map { key in
                entries[key].map { launcherWords($0, what: "\(key) of \(what)") } ?? []
            }
            guard words.dropFirst().allSatisfy({ !$0.isEmpty }) else {
                reader.report(
                    node,
                    "\(what) needs start, list and stop.",
                    "Write each as a list of words: `stop: [ssh, mac1, pkill, -f, \"{name}\"]`."
                )
                return nil
            }
            return .command(
                LauncherTemplates(check: words[0], start: words[1], list: words[2], stop: words[3])
            )
        }
    }

    /// Reports a former launcher kind as a mistake, with the lines that replace it.
    private mutating func reportScript(_ node: Node, _ kind: String, _ keys: [String]) {
        let entries = node.mapping
        let script = ["/usr/share/snapfarm/launchers/\(kind)-worker"]
        func texts(_ key: String) -> [String] { entries?[key]?.array().compactMap(\.string) ?? [] }
        let commands = [
            ("check", script + ["check"]),
            ("start", script + ["start"] + texts("options") + ["{worker}"]),
            ("list", script + ["list"]), ("stop", script + ["stop", "{name}"]),
        ].map { "\($0): [\($1.map(Self.quoted).joined(separator: ", "))]" }
        let values = keys.compactMap { key in
            entries?[key].map {
                "FARM_\(key.uppercased().replacing("-", with: "_"))=\(Self.joined($0))"
            }
        }
        let kept = texts("variables").filter(Self.isVariable)
        let variables = (kept + values).map { "  - " + Self.quoted($0) }
        let gone = (["kind", "options", "variables"] + keys).filter { entries?[$0] != nil }
        reader.report(
            node,
            "the kind \(kind) is a script of the kind command now (docs/on-demand.md).",
            "Write these lines in place of \(gone.joined(separator: ", ")):",
            lines: ["kind: command"] + commands + (variables.isEmpty ? [] : ["variables:"])
                + variables + (kind == "kubernetes" ? ["token: none"] : [])
        )
    }

    /// Returns a text as it is, or a map as `NAME=VALUE,NAME=VALUE`, the format of the scripts.
    private static func joined(_ node: Node) -> String {
        guard let map = node.mapping else { return node.string ?? "" }
        return map.map { "\($0.key.string ?? "")=\($0.value.string ?? "")" }.joined(separator: ",")
    }

    private static func quoted(_ word: String) -> String {
        "\"\(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private mutating func launcherWords(_ node: Node, what: String) -> [String] {
        let nodes = reader.list(node, what: what)
        guard nodes.count <= FarmLimits.launcherWordsMax else {
            reader.report(
                node,
                "\(what) has \(nodes.count) words; at most \(FarmLimits.launcherWordsMax).",
                "Put them into a script, and name that."
            )
            return []
        }
        return nodes.compactMap { reader.text($0, what: "a word of \(what)") }
    }
}
