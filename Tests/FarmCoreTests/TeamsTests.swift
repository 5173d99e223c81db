import FarmCore
import Testing

@Suite("Teams")
struct TeamsTests {
    private let teams = Teams([
        Team(name: "pay", pipelines: ["pay-*", "checkout"], weight: 2),
        Team(name: "web", pipelines: ["*web*"]),
    ])

    @Test(
        "a pipeline belongs to the first team that names it, else it is a team of its own",
        arguments: [
            ("pay-app", "pay", 2), ("checkout", "pay", 2), ("pay-web", "pay", 2), ("web", "web", 1),
            ("my-web-2", "web", 1), ("Pay-app", "Pay-app", 1), ("search", "search", 1),
            ("pay", "pay", 2),
        ]
    )
    func member(pipeline: String, name: String, weight: Int) {
        let team = teams.team(of: pipeline)
        #expect(team.name == name && team.weight == weight)
    }

    @Test("without a configuration each pipeline is a team")
    func none() {
        #expect(Teams().team(of: "app") == Team(name: "app"))
    }
}
