// Storybook as a source of scenes: its index lists the stories, and each is a page of its own.
// Events while a story is drawn come over the channel that Storybook's own manager listens to.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// The stories of a Storybook, as scenes.
struct Storybook: Hashable, Sendable {
    /// The scenes, in the order of their stories' ids.
    var scenes: [Scene]

    /// The tag of stories that are no scenes.
    static let skippingTag = "snapfarm-skip"
    /// The most stories of one Storybook: ten times those of the largest public ones.
    private static let storiesMax = 20_000

    private struct File: Decodable {
        var entries: [String: Entry]?
        /// The entries of an index from a version before 7, which uses this key.
        var stories: [String: Entry]?
    }
    private struct Entry: Decodable {
        var id: String
        var title: String
        var name: String
        var type: String?
        var tags: [String]?
    }

    /// Reads `index.json`; the scenes are in the order of their stories' ids.
    ///
    /// A scene's suite is the story's title. Its name is the story's name if the id agrees with it;
    /// otherwise it is the part of the id below the title. Ids are unique and names are not, so no
    /// scene's name depends on other stories.
    ///
    /// - Throws: ``WebDriverError``.
    init(_ data: Data, at place: String) throws(WebDriverError) {
        guard let file = try? JSONDecoder().decode(File.self, from: data),
            let entries = file.entries ?? file.stories
        else { throw .storybookUnreadable(place: place, reason: "it is no index of stories") }
        guard entries.count <= Self.storiesMax else {
            throw .storybookUnreadable(place: place, reason: "it has \(entries.count) stories")
        }
        scenes = []
        var seen: Set<String> = []
        let known: Set = ["story", "docs"]
        if let other = entries.values.first(where: { !known.contains($0.type ?? "story") }) {
            let reason = "the type \"\(other.type ?? "")\" of its entry \(other.id) is not known"
            throw .storybookUnreadable(place: place, reason: reason)
        }
        let stories = entries.values.filter {
            ($0.type ?? "story") == "story" && $0.tags?.contains(Self.skippingTag) != true
        }
        for story in stories.sorted(by: { $0.id < $1.id }) {
            guard let name = Self.name(story, &seen) else {
                throw .storybookUnreadable(
                    place: place,
                    reason:
                        "the story \"\(story.id.prefix(200))\" has no name that a picture can have"
                )
            }
            scenes.append(
                Scene(suite: name.suite, name: name.name, page: .story(story.id), wait: .story)
            )
        }
    }

    /// The most bytes of an index: 1,000 for each story.
    private static let bytesMax = 20 << 20

    /// Reads the stories of a folder that Storybook was built into.
    static func read(folder: String) throws(WebDriverError) -> Storybook {
        guard
            let file = FileHandle(forReadingAtPath: folder + "/index.json")
                ?? FileHandle(forReadingAtPath: folder + "/stories.json"),
            let data = try? file.read(upToCount: bytesMax)
        else { throw .storybookUnreadable(place: folder, reason: "it has no index.json") }
        return try Storybook(data, at: folder)
    }

    /// Reads the stories of a running Storybook; `base` ends with `/`.
    static func read(at base: String) async throws -> Storybook {
        let data: Data
        do {
            let answer = try await WebDriverConnection.get(base + "index.json", seconds: 30)
            guard answer.status == .ok else {
                throw WebDriverError.storybookUnreadable(
                    place: base,
                    reason: "index.json has the status \(answer.status.code)"
                )
            }
            data = Data((try await answer.body.collect(upTo: bytesMax)).readableBytesView)
        } catch let error as WebDriverError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw WebDriverError.storybookUnreadable(place: base, reason: error.inWords)
        }
        return try Storybook(data, at: base)
    }

    private static func name(_ story: Entry, _ seen: inout Set<String>) -> SnapshotID? {
        let title = story.title.split(separator: "/").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        // `button--primary:renders` is a test below a story.
        let own = story.id.firstRange(of: "--").map { String(story.id[$0.upperBound...]) }
        let isOfID = own == nil || own == Self.plain(story.name)
        let name = (isOfID ? story.name : own ?? story.name)
            .replacing("/", with: "-").replacing(":", with: ".")
        for (suite, name) in [(title.joined(separator: "/"), name), ("stories", story.id)] {
            guard let id = try? SnapshotID(cell: .host, suite: suite, name: name),
                seen.insert(id.text.lowercased()).inserted
            else { continue }
            return id
        }
        return nil
    }

    /// Returns the part of a story's id that Storybook makes from its name.
    private static func plain(_ name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    /// Returns the address of a story on a cell; the cell's axes are Storybook's globals.
    static func address(_ id: String, at base: String, _ variant: [VariantValue]) -> String {
        let globals = variant.map { "\(escaped($0.axis)):\(escaped($0.value))" }
        return base + "iframe.html?id=\(escaped(id))&viewMode=story"
            + (globals.isEmpty ? "" : "&globals=" + globals.joined(separator: ";"))
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."]))
            ?? ""
    }
}

enum StorybookScript {
    /// A JavaScript function that returns whether the story is drawn and played; it throws the
    /// story's error.
    ///
    /// The channel keeps the last event of each name, so nothing is missed before the first look.
    static let isDrawn = """
        () => {
          const preview = globalThis.__STORYBOOK_PREVIEW__;
          const channel = globalThis.__STORYBOOK_ADDONS_CHANNEL__ ?? preview?.channel;
          const fail = (reason) => {
            throw Object.assign(new Error(String(reason).slice(0, 500)), {isOfStory: true});
          };
          const troubles = {
            storyMissing: "Storybook does not have it", storyErrored: "it cannot be drawn",
            storyThrewException: "it threw", playFunctionThrewException: "its play function threw",
            unhandledErrorsWhilePlaying: "while it played, something threw",
          };
          for (const [name, words] of Object.entries(troubles)) {
            const given = channel?.last(name);
            if (!given) continue;
            const what = [given[0]].flat()[0];
            fail(words + ": " + (what?.message ?? what?.title ?? what ?? ""));
          }
          const classes = document.body?.classList;
          if (classes?.contains("sb-show-errordisplay")) {
            fail(document.getElementById("error-message")?.textContent ?? "it shows an error");
          }
          if (classes?.contains("sb-show-nopreview")) fail("it shows no story");
          return Boolean(channel?.last("storyRendered"));
        }
        """
}
