// Does the steps of a scene as a person would: with the pointer and the keys of the browser, on
// elements that exist, are in view and are not covered.
import FarmCore
import Foundation

/// Does the steps of one scene in one browser.
struct SceneSteps: Sendable {
    var browser: Browser
    /// Runs a script in the page and returns its result, even while the page goes elsewhere.
    var evaluate: @Sendable (String) async throws -> StepReport
    /// The time at which all steps must have ended.
    var deadline: ContinuousClock.Instant

    /// The most seconds that one step, or a scene's wait, waits for its element: more than a page
    /// without a `wait` ever needs, and few for a misspelt selector.
    static let elementSecondsMax = 5.0
    private static let away = (x: -5.0, y: -5.0)

    /// The result of a step's script.
    struct StepReport: Decodable, Sendable {
        var x: Double?
        var y: Double?
        /// The reason why the step cannot be done, or `nil` if it can.
        var trouble: String?
    }

    /// Does the steps, in order.
    ///
    /// - Throws: ``SceneError/stepFailed(step:reason:)``, and the errors of the browser.
    func perform(_ steps: [SceneStep]) async throws {
        try await browser.setInput(isIgnored: false)
        for (index, step) in steps.enumerated() {
            do throws(StepTrouble) {
                try await perform(step)
            } catch {
                switch error {
                case .page(let reason):
                    throw SceneError.stepFailed(
                        step: "step \(index + 1), \(step.words)",
                        reason: reason
                    )
                case .browser(let error): throw error
                }
            }
        }
        if case .hover? = steps.last { return }
        try await point("mouseMoved", at: Self.away)
    }

    private enum StepTrouble: Error {
        case page(String)
        case browser(any Error)
    }

    private func perform(_ step: SceneStep) async throws(StepTrouble) {
        do {
            switch step {
            case .click(let selector):
                let place = try await locate(selector)
                try await point("mouseMoved", at: place)
                try await point("mousePressed", at: place, isPressed: true)
                try await point("mouseReleased", at: place, isPressed: true)
            case .hover(let selector):
                try await point("mouseMoved", at: try await locate(selector))
            case .type(let selector, let text):
                if let selector { _ = try await locate(selector, then: "element.focus();") }
                try await send("Input.insertText", ["text": .text(text)])
            case .key(let key): try await press(key)
            case .scroll(let selector): _ = try await locate(selector, isCoverable: true)
            case .scrollDown(let points): try await run("scrollTo(0, \(points)); return {};")
            case .wait(let wait): try await self.wait(wait)
            }
            try await run("await frames(2); return {};")
        } catch let trouble as StepTrouble {
            throw trouble
        } catch {
            throw .browser(error)
        }
    }

    // MARK: input

    private func send(_ command: String, _ parameters: JSONValue) async throws {
        _ = try await browser.command(command, parameters, as: AnyAnswer.self)
    }

    private func point(
        _ type: String,
        at place: (x: Double, y: Double),
        isPressed: Bool = false
    ) async throws {
        var parameters: [String: JSONValue] = [
            "type": .text(type), "x": .number(place.x), "y": .number(place.y),
        ]
        if isPressed {
            parameters["button"] = "left"
            parameters["clickCount"] = 1
        }
        try await send("Input.dispatchMouseEvent", .object(parameters))
    }

    private func press(_ key: SceneKey) async throws {
        let name = key.name == "Space" ? " " : key.name
        var parameters: [String: JSONValue] = [
            "type": .text(key.text.isEmpty ? "rawKeyDown" : "keyDown"), "key": .text(name),
            "code": .text(key.name.count == 1 ? "" : key.name),
            "windowsVirtualKeyCode": .number(Double(key.code)),
        ]
        if !key.text.isEmpty { parameters["text"] = .text(key.text) }
        try await send("Input.dispatchKeyEvent", .object(parameters))
        parameters["type"] = "keyUp"
        parameters["text"] = nil
        try await send("Input.dispatchKeyEvent", .object(parameters))
    }

    // MARK: the page

    private var milliseconds: Int {
        let left = (deadline - .now) / .seconds(1)
        return Int(max(0, min(Self.elementSecondsMax, left)) * 1000)
    }

    @discardableResult
    private func run(_ body: String) async throws -> StepReport {
        let report = try await evaluate(
            """
            (async () => {
              \(PageStillness.pace)
              \(body)
            })()
            """
        )
        if let trouble = report.trouble { throw StepTrouble.page(trouble) }
        return report
    }

    private func wait(_ wait: SceneWait) async throws {
        let left = max(0, (deadline - .now) / .seconds(1))
        try await run(
            """
            const wait = \(PageScript.condition(wait));
            const end = performance.now() + \(Int(left * 1000));
            try {
              while (!(await wait())) {
                if (performance.now() > end) return {trouble: \(JSONValue.literal(wait.words))};
                await pause(15);
              }
            } catch (error) { return {trouble: String(error)}; }
            return {};
            """
        )
    }

    /// Brings an element into view, and returns the place of its middle.
    private func locate(
        _ selector: String,
        isCoverable: Bool = false,
        then action: String = ""
    ) async throws -> (x: Double, y: Double) {
        let report = try await run(
            """
            const selector = \(JSONValue.literal(selector));
            const end = performance.now() + \(milliseconds);
            let trouble;
            do {
              let element;
              try { element = document.querySelector(selector); } catch {
                return {trouble: "the selector is not valid"};
              }
              const box = element?.getBoundingClientRect();
              if (!element) trouble = "the page has no such element";
              else if (!box.width || !box.height) trouble = "the element is not visible";
              else {
                element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
                await frames(2);
                const now = element.getBoundingClientRect();
                const x = now.left + now.width / 2, y = now.top + now.height / 2;
                const top = document.elementFromPoint(x, y);
                const root = element.getRootNode();
                const inner = root.elementFromPoint?.(x, y) ?? top;
                if (\(isCoverable) || element.contains(inner) || inner?.contains(element)
                    || inner?.closest?.("label")?.control === element) {
                  \(action)
                  return {x, y};
                }
                trouble = "the element is covered by <" + (top?.localName ?? "nothing")
                  + (top?.id ? ` id="${top.id}"` : "") + ">";
              }
              await pause(30);
            } while (performance.now() < end);
            return {trouble};
            """
        )
        return (report.x ?? 0, report.y ?? 0)
    }
}
