// The inputs of a page that are neither files nor requests in the browser's network events. A page with
// such an input is captured in every run.
import FarmCore

/// Makes the part of a page's preparation that notes what cannot be recorded.
enum PageUnknowns {
    static let script = """
        page.unknown = null;
        const unknown = (words) => { page.unknown ??= words; };
        const opened = (name, words) => {
          const real = globalThis[name];
          if (!real) return;
          globalThis[name] = new Proxy(real, {
            construct(target, given, type) {
              unknown(words);
              return Reflect.construct(target, given, type);
            },
          });
          real.prototype.constructor = globalThis[name];
        };
        opened("WebTransport", "a WebTransport");
        opened("RTCPeerConnection", "a connection to another browser");
        opened("Worker", "a worker");
        opened("SharedWorker", "a worker");
        const called = (type, name, words) => {
          if (!type?.prototype[name]) return;
          type.prototype[name] = new Proxy(type.prototype[name], {
            apply(target, self, given) {
              unknown(words);
              return Reflect.apply(target, self, given);
            },
          });
        };
        called(globalThis.ServiceWorkerContainer, "register", "a service worker");
        called(globalThis.Worklet, "addModule", "a worklet");
        called(globalThis.Geolocation, "getCurrentPosition", "the place of the machine");
        """

    /// The expression that gives the page's inputs that are no files.
    static let question = """
        (() => ({unknown: globalThis.\(PagePreloadScript.page)?.unknown
          ?? (frames.length > 0 ? "a frame" : null)}))()
        """
}

/// The answer to ``PageUnknowns/question``.
struct UnknownReport: Decodable, Sendable {
    var unknown: String?
}
