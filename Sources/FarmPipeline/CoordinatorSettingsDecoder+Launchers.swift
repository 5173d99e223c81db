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
        .command: ["start", "list", "stop"],
        .slurm: ["constraint", "partition", "options", "program"],
        .kubernetes: [
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
        check(settings, node, what: what)
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
        settings.token = entries["token"].flatMap { variable($0, what: "token of \(what)") }
        settings.variables =
            entries["variables"].map { node in
                reader.list(node, what: "variables of \(what)").compactMap {
                    variable($0, what: "a variable of \(what)")
                }
            } ?? []
    }

    private mutating func check(_ settings: LauncherSettings, _ node: Node, what: String) {
        if case .local = settings.place {
        } else if settings.coordinator == nil {
            reader.report(
                node,
                "\(what) does not say how its workers reach the coordinator.",
                "Write `coordinator: https://farm.example.org`, as such a worker would call it."
            )
        }
        if case .kubernetes = settings.place {
            if settings.token != nil {
                reader.report(
                    node,
                    "\(what) has a token, which would stand in its Jobs.",
                    "Keep it in a Secret of the namespace, and name that: `secret: snapfarm-worker`."
                )
            }
        } else if settings.token == nil {
            reader.report(
                node,
                "\(what) has no token for its workers.",
                "Name the variable of the coordinator's environment that holds one with the scope "
                    + "work: `token: WORKER_TOKEN`."
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
            let words = ["start", "list", "stop"].map { key in
                entries[key].map { launcherWords($0, what: "\(key) of \(what)") } ?? []
            }
            guard words.allSatisfy({ !$0.isEmpty }) else {
                reader.report(
                    node,
                    "\(what) needs start, list and stop.",
                    "Write each as a list of words: `stop: [ssh, mac1, pkill, -f, \"{name}\"]`."
                )
                return nil
            }
            return .command(LauncherTemplates(start: words[0], list: words[1], stop: words[2]))
        case .slurm: return .slurm(slurm(entries, what: what))
        case .kubernetes: return kubernetes(entries, node, what: what).map { .kubernetes($0) }
        }
    }

    private mutating func slurm(_ entries: [String: Node], what: String) -> SlurmPlace {
        var place = SlurmPlace()
        place.constraint = entries["constraint"].flatMap {
            reader.text($0, what: "constraint of \(what)")
        }
        place.partition = entries["partition"].flatMap {
            reader.text($0, what: "partition of \(what)")
        }
        place.options =
            entries["options"].map { launcherWords($0, what: "options of \(what)") } ?? []
        if let program = entries["program"].flatMap({
            reader.text($0, what: "program of \(what)")
        }) {
            place.program = program
        }
        return place
    }

    private mutating func kubernetes(
        _ entries: [String: Node],
        _ node: Node,
        what: String
    ) -> KubernetesPlace? {
        let image = entries["image"].flatMap { reader.text($0, what: "image of \(what)") }
        let secret = entries["secret"].flatMap { reader.text($0, what: "secret of \(what)") }
        guard let image, let secret else {
            reader.report(
                node,
                "\(what) needs image and secret.",
                "Write `image: registry.example.org/snapfarm:1.0` and the name of a Secret whose "
                    + "key `token` holds a token with the scope work."
            )
            return nil
        }
        var place = KubernetesPlace(image: image, secret: secret)
        if let namespace = entries["namespace"].flatMap({
            reader.text($0, what: "namespace of \(what)")
        }) {
            place.namespace = namespace
        }
        place.serviceAccount = entries["service-account"].flatMap {
            reader.text($0, what: "service-account of \(what)")
        }
        if let node = entries["node-selector"] {
            place.nodeSelector = texts(node, what: "node-selector of \(what)")
        }
        if let node = entries["resources"] {
            place.resources = texts(node, what: "resources of \(what)")
        }
        return place
    }

    private mutating func texts(_ node: Node, what: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in reader.orderedMapping(node, what: what) {
            guard let name = reader.text(key, what: "a key of \(what)") else { continue }
            texts[name] = reader.text(value, what: "\(name) of \(what)")
        }
        return texts
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
