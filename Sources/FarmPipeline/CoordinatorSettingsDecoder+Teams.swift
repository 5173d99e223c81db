// Decodes `teams:` of a coordinator's configuration. The order of the file counts: a pipeline
// belongs to the first team with a pattern that matches.
import FarmCore
import Yams

extension CoordinatorSettingsDecoder {
    private static let teamKeys = ["pipelines", "weight", "runs", "tests", "days", "bytes"]

    mutating func teams(_ node: Node) -> Teams {
        var teams: [Team] = []
        for (key, value) in reader.orderedMapping(node, what: "teams") {
            guard let name = reader.text(key, what: "the name of a team") else { continue }
            guard FleetNames.isUsable(name) else {
                reader.report(
                    key,
                    "the name of a team is \"\(name.prefix(80))\".",
                    "Write one line of at most \(FleetNames.bytesMax) bytes."
                )
                continue
            }
            guard let team = team(name, value) else { continue }
            teams.append(team)
        }
        return Teams(teams)
    }

    private mutating func team(_ name: String, _ node: Node) -> Team? {
        let what = "the team \(name)"
        guard let entries = reader.mapping(node, known: Self.teamKeys, what: what) else {
            return nil
        }
        var team = Team(name: name)
        if let list = entries["pipelines"] {
            team.pipelines = reader.list(list, what: "pipelines of \(what)").compactMap {
                reader.text($0, what: "a pipeline of \(what)")
            }
        }
        if team.pipelines.isEmpty {
            reader.report(
                node,
                "\(what) has no pipelines.",
                "Name them, or patterns of their names: `pipelines: [web, \"web-*\"]`."
            )
        }
        if let weight = entries["weight"].flatMap({
            reader.integer($0, what: "weight of \(what)", in: Team.weights)
        }) {
            team.weight = weight
        }
        let quota = TeamQuota(
            runs: limit("runs", of: what, entries, in: 1...FarmLimits.quotaMax),
            tests: limit("tests", of: what, entries, in: 1...FarmLimits.quotaMax),
            days: limit("days", of: what, entries, in: 1...3_650),
            bytes: entries["bytes"].flatMap { bytes($0, of: what) }
        )
        if quota != TeamQuota() { team.quota = quota }
        return team
    }

    private mutating func bytes(_ node: Node, of what: String) -> Int? {
        guard let text = reader.text(node, what: "bytes of \(what)") else { return nil }
        if let bytes = ByteSize.bytes(of: text) { return bytes }
        reader.report(
            node,
            "bytes of \(what) is \"\(text.prefix(80))\".",
            "Write a whole number and its unit: kB, MB, GB or TB, such as `bytes: 20 GB`."
        )
        return nil
    }

    private mutating func limit(
        _ key: String,
        of what: String,
        _ entries: [String: Node],
        in range: ClosedRange<Int>
    ) -> Int? {
        entries[key].flatMap { reader.integer($0, what: "\(key) of \(what)", in: range) }
    }
}
