// A real Chromium behind chromedriver, for tests of pages: W3C WebDriver over plain HTTP.
import Foundation

/// A browser with one window; it ends with the value.
package final class TestBrowser {
    /// Whether browser and driver are installed.
    ///
    /// Without them tests of pages are skipped.
    package static let isInstalled = [browser, chromedriver].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let browser = "/usr/lib/chromium/chromium-headless-shell"
    private static let chromedriver = "/usr/bin/chromedriver"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The Enter key in WebDriver's encoding.
    package static let enter = "\u{E007}"
    package static let escape = "\u{E00C}"

    private let driver: TestProcess
    private let port: Int
    private var session = ""

    package init() throws {
        let driver = try TestProcess([Self.chromedriver, "--port=0"])
        self.driver = driver
        let pattern = /started successfully on port ([0-9]+)/
        guard driver.wait(seconds: 60, until: { driver.output.contains(pattern) }),
            let match = driver.output.firstMatch(of: pattern), let port = Int(match.1)
        else { throw Failure(description: "no chromedriver: \(driver.errors)") }
        self.port = port
        let options: [String: Any] = [
            "binary": Self.browser, "args": ["--no-sandbox", "--disable-dev-shm-usage"],
        ]
        let wanted = ["capabilities": ["alwaysMatch": ["goog:chromeOptions": options]]]
        let made = try call("POST", "/session", wanted) as? [String: Any]
        session = "/session/\(made?["sessionId"] as? String ?? "")"
    }

    deinit {
        _ = try? call("DELETE", session, nil)
        driver.kill()
    }

    package func open(_ address: String) throws {
        _ = try call("POST", session + "/url", ["url": address])
    }

    /// Presses keys one after another, wherever the focus is.
    package func press(_ keys: String) throws {
        let strokes = keys.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": $0, "value": String(key)] }
        }
        let actions: [[String: Any]] = [["type": "key", "id": "keys", "actions": strokes]]
        _ = try call("POST", session + "/actions", ["actions": actions])
    }

    package func click(_ selector: String) throws {
        let found = try call(
            "POST",
            session + "/element",
            ["using": "css selector", "value": selector]
        )
        guard let element = (found as? [String: String])?.values.first else {
            throw Failure(description: "no \(selector)")
        }
        _ = try call("POST", session + "/element/\(element)/click", [String: String]())
    }

    /// Returns the value of a JavaScript expression as text.
    package func text(_ expression: String) throws -> String {
        let script =
            ["script": "return String(\(expression))", "args": [String]()] as [String: Any]
        return try call("POST", session + "/execute/sync", script) as? String ?? ""
    }

    /// Waits until a JavaScript expression is true; returns `false` after `seconds`.
    package func waits(for expression: String, seconds: Double = 60) throws -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while try text("!!(\(expression))") != "true" {
            guard ContinuousClock.now < limit else { return false }
            usleep(50_000)
        }
        return true
    }

    /// Returns role and name of each element of the page and its frames that assistive technology
    /// is given (`button "Buy"`), as WebDriver computes them.
    package func accessibleElements() throws -> [String] {
        let script = """
            const found = [];
            const walk = (node) => {
              if (node.nodeType === 1) found.push(node);
              node.shadowRoot?.childNodes.forEach(walk);
              node.childNodes.forEach(walk);
            };
            walk(document.documentElement);
            return found.map((node) => [node, node.tagName]);
            """
        let asked = ["script": script, "args": [String]()] as [String: Any]
        let found = try call("POST", session + "/execute/sync", asked) as? [[Any]] ?? []
        return try found.flatMap { pair -> [String] in
            guard let node = pair[0] as? [String: String], let id = node.values.first else {
                throw Failure(description: "\(pair)")
            }
            let place = session + "/element/" + id
            let role = try call("GET", place + "/computedrole", nil) as? String ?? ""
            let name = try call("GET", place + "/computedlabel", nil) as? String ?? ""
            let silent = role == "none" || role == "generic" && name.isEmpty
            var words = silent ? [] : [name.isEmpty ? role : "\(role) \"\(name)\""]
            if pair[1] as? String == "IFRAME" {
                _ = try call("POST", session + "/frame", ["id": node])
                words += try accessibleElements()
                _ = try call("POST", session + "/frame/parent", [String: String]())
            }
            return words
        }
    }

    private func call(_ method: String, _ path: String, _ body: [String: Any]?) throws -> Any? {
        let bytes = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let connection = try RawConnection(port: port)
        connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
        )
        connection.send(bytes)
        guard let response = connection.response(within: 60),
            let answer = try JSONSerialization.jsonObject(with: response.body) as? [String: Any]
        else { throw Failure(description: "no answer to \(method) \(path)") }
        guard response.status == 200 else {
            throw Failure(description: response.text)
        }
        return answer["value"]
    }
}
