// The script that runs before any script of a page and of its frames. It sets their clock, their
// random numbers and stored values, closes dialogs, and notes requests, workers, shadow roots,
// activity and uncaught errors.
import FarmCore

/// Makes the text of the script that runs before any script of a page.
enum PagePreloadScript {
    /// The name of the page's variable in which the script keeps its state.
    static let page = "__snapfarm"

    /// Returns the script; `time` is the time that pages see when they are opened, or `now` for the
    /// machine's clock and its random numbers.
    ///
    /// `notesUnknowns` tells whether it notes what the page reads that is no file.
    static func text(
        time: String,
        localStorage: [String: String] = [:],
        notesUnknowns: Bool = false
    ) -> String {
        var parts = [state]
        if notesUnknowns { parts.append(PageUnknowns.script) }
        if time != "now" { parts += [PageClock.text(time: time), PageRandom.script] }
        if !localStorage.isEmpty {
            let entries = localStorage.sorted { $0.key < $1.key }.map { key, value in
                "localStorage.setItem(\(JSONValue.literal(key)), \(JSONValue.literal(value)));"
            }
            // A page without an origin has no storage.
            parts.append(
                "if (window === top) try {\n\(entries.joined(separator: "\n"))\n} catch {}"
            )
        }
        parts += [listener, PageDialogs.script, roots, requests, activity]
        return "(() => {\n\(parts.joined(separator: "\n"))\n})();"
    }

    private static let state = """
        const page = {frame: requestAnimationFrame.bind(globalThis),
          timer: setTimeout.bind(globalThis)};
        Object.defineProperty(globalThis, "\(page)", {value: page});
        """

    private static let listener = """
        page.thrown = null;
        const hear = (value) => {
          try { page.thrown ??= String(value).split("\\n")[0].slice(0, 300); } catch {}
        };
        addEventListener("error", (event) => hear(event.error ?? event.message));
        addEventListener("unhandledrejection", (event) => hear(event.reason));
        """

    // A closed root cannot be found later.
    private static let roots = """
        page.roots = new Set();
        Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
          apply(target, host, given) {
            const root = Reflect.apply(target, host, given);
            page.roots.add(root);
            return root;
          },
        });
        """

    // `fetch` is answered before its body has come, so reading the body counts as a request, too.
    private static let requests = """
        let last = performance.now();
        const open = new Set();
        const begin = (url) => {
          const request = {url: String(url?.url ?? url ?? ""),
            isLate: document.readyState === "complete", since: performance.now()};
          open.add(request);
          return () => { if (open.delete(request)) last = performance.now(); };
        };
        if (globalThis.fetch) globalThis.fetch = new Proxy(fetch, {
          apply(target, self, given) {
            const end = begin(given[0]);
            const answer = Reflect.apply(target, self, given);
            answer.then(end, end);
            return answer;
          },
        });
        for (const name of ["arrayBuffer", "blob", "formData", "json", "text"]) {
          Response.prototype[name] = new Proxy(Response.prototype[name], {
            apply(target, self, given) {
              const end = begin(self.url);
              const body = Reflect.apply(target, self, given);
              body.then(end, end);
              return body;
            },
          });
        }
        const {open: address, send} = XMLHttpRequest.prototype;
        const addresses = new WeakMap();
        XMLHttpRequest.prototype.open = function (...given) {
          addresses.set(this, given[1]);
          return address.apply(this, given);
        };
        XMLHttpRequest.prototype.send = function (...given) {
          const end = begin(addresses.get(this));
          this.addEventListener("loadend", end, {once: true});
          try { return send.apply(this, given); } catch (error) { end(); throw error; }
        };
        new PerformanceObserver(() => { last = performance.now(); })
          .observe({type: "resource", buffered: true});
        addEventListener("load", () => {
          const changes = new MutationObserver(() => { page.isChanged = true; });
          changes.observe(document, {subtree: true, childList: true, attributes: true});
        }, {once: true});
        page.isChanged = false;
        page.isSilent = (time) => open.size === 0 && performance.now() - last >= time;
        page.late = (secondsMax) => [...open].filter((request) => request.isLate
          && performance.now() - request.since < secondsMax * 1000).map((request) => request.url);
        """

    // A page that draws by itself, frame by frame or by a fast timer, cannot be stopped, only
    // noticed.
    private static let activity = """
        const quick = 600;
        let drawn = -Infinity;
        let due = -Infinity;
        const intervals = new Set();
        globalThis.requestAnimationFrame = new Proxy(requestAnimationFrame, {
          apply(target, self, given) {
            drawn = performance.now();
            return Reflect.apply(target, self, given);
          },
        });
        globalThis.setTimeout = new Proxy(setTimeout, {
          apply(target, self, given) {
            if (!(given[1] > quick)) due = Math.max(due, performance.now() + (given[1] || 0));
            return Reflect.apply(target, self, given);
          },
        });
        globalThis.setInterval = new Proxy(setInterval, {
          apply(target, self, given) {
            const id = Reflect.apply(target, self, given);
            if (!(given[1] > quick)) intervals.add(id);
            return id;
          },
        });
        for (const name of ["clearInterval", "clearTimeout"]) {
          globalThis[name] = new Proxy(globalThis[name], {
            apply(target, self, given) {
              intervals.delete(given[0]);
              return Reflect.apply(target, self, given);
            },
          });
        }
        page.isActive = (since) => intervals.size > 0 || due > performance.now() || drawn >= since;
        """
}
