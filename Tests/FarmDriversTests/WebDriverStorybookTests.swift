// Tests of stories as scenes: their names, their pages, and the error for a Storybook without an
// index.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    /// The part of Storybook's iframe that tools rely on: its address, its channel, its classes.
    private static let iframe = """
        <body class=sb-show-main><div id=storybook-root style="width: 30px; height: 20px"></div><script>
        const data = {};
        globalThis.__STORYBOOK_ADDONS_CHANNEL__ = {last: (name) => data[name]};
        const emit = (name, ...given) => { data[name] = given; };
        const query = new URLSearchParams(location.search);
        const id = query.get("id");
        const red = () => { document.body.style.background = "red"; };
        const play = {
          "button--plain": async () => { red(); },
          "button--played": () => new Promise((done) => setTimeout(() => { red(); done(); }, 400)),
          "button--dim": async () => {
            if (query.get("globals") === "theme:dim" && query.get("viewMode") === "story") red();
          },
          "button--throws": async () => { throw new Error("no such user"); },
        }[id];
        if (!play) emit("storyMissing", id);
        else play().then(
          () => emit("storyRendered", id),
          (error) => emit("playFunctionThrewException", {message: error.message}));
        </script>
        """
    private static let index = """
        {"v": 5, "entries": {
          "button--plain": {"id": "button--plain", "title": "Forms/Button", "name": "Plain", "type": "story", "tags": ["dev"]},
          "button--played": {"id": "button--played", "title": "Forms/Button", "name": "Played", "type": "story"},
          "button--dim": {"id": "button--dim", "title": "Forms/Button", "name": "a/b", "type": "story"},
          "button--throws": {"id": "button--throws", "title": "Forms/Button", "name": "Throws", "type": "story"},
          "button--skipped": {"id": "button--skipped", "title": "Forms/Button", "name": "Skipped", "type": "story", "tags": ["snapfarm-skip"]},
          "button--docs": {"id": "button--docs", "title": "Forms/Button", "name": "Docs", "type": "docs"},
          "button--twin": {"id": "button--twin", "title": "Forms/Button", "name": "plain", "type": "story"}
        }}
        """

    @Test(
        "stories are scenes: played, with globals by axes, and a story that throws is red",
        arguments: ["static", "/static/"]
    )
    func storybook(place: String) async throws {
        var settings = WebDriverSettings(storybook: place)
        if place.hasPrefix("/") {
            settings.serve = WebServerSettings(
                command: "python3 -u -m http.server {port} --bind 127.0.0.1"
            )
        }
        try await withStage(
            pages: ["static/iframe.html": Self.iframe],
            scenes: "",
            settings: settings
        ) { stage in
            try stage.folder.write("static/index.json", Self.index)
            let cell = Stage.cell(Stage.phone, ["theme": "dim"])
            let found = try await stage.driver.discover(
                job: stage.job(cell),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
            #expect(
                found.tests.map(\.text) == [
                    "Forms/Button/dim", "Forms/Button/Plain", "Forms/Button/Played",
                    "Forms/Button/Throws", "Forms/Button/twin",
                ]
            )
            let results = try await stage.run(found.tests.map(\.text), on: cell)
            let plain = try results[1].picture
            #expect(try results[0].picture == plain)
            #expect(try results[2].picture == plain)
            #expect(results[3].problem?.code == "story-failed")
            #expect(results[3].problem?.message.contains("no such user") == true)
            #expect(results[4].problem?.message.contains("Storybook does not have it") == true)
            var cropped = stage
            cropped.settings.element = "#storybook-root"
            let element = try await cropped.run(["Forms/Button/Plain"], on: cell)[0].picture
            #expect([UInt8](element[16..<24]) == [0, 0, 0, 60, 0, 0, 0, 40])
        }
    }

    @Test("a story's name does not depend on the stories beside it")
    func storyNames() async throws {
        func names(_ ids: [String: String]) async throws -> [String] {
            let entries = ids.map { id, name in
                "\"\(id)\": {\"id\": \"\(id)\", \"title\": \"A/Button\", \"name\": \"\(name)\"}"
            }
            let stage = try Stage(scenes: "", settings: WebDriverSettings(storybook: "static"))
            try stage.folder.write(
                "static/index.json",
                "{\"v\": 5, \"entries\": {\(entries.joined(separator: ", "))}}"
            )
            return try await stage.driver.discover(
                job: stage.job(Stage.cell()),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            ).tests.map(\.text)
        }
        let all = [
            "a-button--big-one": "Big One", "a-button--primary": "Primary",
            "a-button--primary:renders": "renders", "a-button--small": "Primary",
            "a-button--small:renders": "renders",
        ]
        let expected = [
            "a-button--big-one": "A/Button/Big One", "a-button--primary": "A/Button/Primary",
            "a-button--primary:renders": "A/Button/primary.renders",
            "a-button--small": "A/Button/small",
            "a-button--small:renders": "A/Button/small.renders",
        ]
        #expect(try await names(all) == expected.sorted { $0.key < $1.key }.map(\.value))
        for (id, name) in all {
            #expect(try await names([id: name]) == [expected[id]])
        }
    }

    @Test(
        "a Storybook without an index, or with an entry that is not known, is refused at once",
        arguments: [
            nil,
            #"{"v": 9, "entries": {"a": {"id": "a", "title": "A", "name": "B", "type": "x"}}}"#,
        ]
    )
    func noStorybook(index: String?) async throws {
        let stage = try Stage(scenes: "", settings: WebDriverSettings(storybook: "static"))
        if let index { try stage.folder.write("static/index.json", index) }
        let error = await #expect(throws: WebDriverError.self) {
            try await stage.driver.discover(
                job: stage.job(Stage.cell()),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
        }
        #expect(error?.code == "storybook-unreadable")
    }

    @Test(
        "a Storybook whose address or redirect has no usable port is refused, and ends no process"
    )
    func unusableAddress() async throws {
        let server = try ScriptedListener { _ in
            .last(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        for place in ["http://127.0.0.1:99999", server.url] {
            let stage = try Stage(scenes: "", settings: WebDriverSettings(storybook: place))
            let error = await #expect(throws: WebDriverError.self) {
                try await stage.driver.discover(
                    job: stage.job(Stage.cell()),
                    workTree: stage.folder.path,
                    scratch: stage.folder.path
                )
            }
            #expect(error?.message.contains("no http or https address of a host") == true)
        }
    }
}
