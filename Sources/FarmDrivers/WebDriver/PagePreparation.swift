// The script that runs before any script of a page: its clock, what it has stored, who counts its
// requests, and who hears what its scripts throw.
import FarmCore

/// Makes the text of that script.
enum PagePreparation {
    /// The name of the counter of requests in the page.
    static let network = "__snapfarmNetwork"
    /// The name of the first that was thrown in the page and not caught.
    static let thrown = "__snapfarmThrown"

    /// The text; `time` is what pages see when they are opened, or `now` for the machine's clock.
    static func text(
        time: String,
        localStorage: [String: String] = [:],
        countsRequests: Bool = false
    ) -> String {
        var parts: [String] = []
        if time != "now" { parts.append("const opened = \(JSONValue.literal(time));\n\(clock)") }
        if !localStorage.isEmpty {
            let entries = localStorage.sorted { $0.key < $1.key }.map { key, value in
                "localStorage.setItem(\(JSONValue.literal(key)), \(JSONValue.literal(value)));"
            }
            // A page without an origin has no storage.
            parts.append(
                "if (window === top) try {\n\(entries.joined(separator: "\n"))\n} catch {}"
            )
        }
        if countsRequests { parts.append(counter) }
        parts += [listener, PageDialogs.script]
        return "(() => {\n\(parts.joined(separator: "\n"))\n})();"
    }

    // The clock begins at a fixed instant and goes on: with one that stands, what waits by the
    // clock (a debounced function) would wait for ever.
    private static let clock = """
        const Real = Date;
        const shift = Real.parse(opened) - Real.now();
        const now = () => Real.now() + shift;
        const Shifted = new Proxy(Real, {
          construct: (target, given, made) =>
            Reflect.construct(target, given.length > 0 ? given : [now()], made),
          apply: () => new Real(now()).toString(),
          get: (target, key) => key === "now" ? now : Reflect.get(target, key),
        });
        Real.prototype.constructor = Shifted;
        globalThis.Date = Shifted;
        """

    private static let listener = """
        let first = null;
        const hear = (value) => {
          try { first ??= String(value).split("\\n")[0].slice(0, 300); } catch {}
        };
        addEventListener("error", (event) => hear(event.error ?? event.message));
        addEventListener("unhandledrejection", (event) => hear(event.reason));
        Object.defineProperty(globalThis, "\(thrown)", {get: () => first});
        """

    private static let counter = """
        let open = 0;
        let last = performance.now();
        const begin = () => { open += 1; };
        const end = () => { open -= 1; last = performance.now(); };
        if (globalThis.fetch) globalThis.fetch = new Proxy(fetch, {
          apply(target, self, given) {
            begin();
            const answer = Reflect.apply(target, self, given);
            answer.then(end, end);
            return answer;
          },
        });
        const send = XMLHttpRequest.prototype.send;
        XMLHttpRequest.prototype.send = function (...given) {
          begin();
          this.addEventListener("loadend", end, {once: true});
          try { return send.apply(this, given); } catch (error) { end(); throw error; }
        };
        new PerformanceObserver(() => { last = performance.now(); })
          .observe({type: "resource", buffered: true});
        globalThis.\(network) = {
          isSilent: (time) => open <= 0 && performance.now() - last >= time,
        };
        """
}
