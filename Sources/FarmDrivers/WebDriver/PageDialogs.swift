// Closes the dialogs of a page's scripts. A native dialog stops the page, and chromedriver's answers
// are wrong until the browser is replaced. So pages get functions that return at once what a closed
// dialog returns.
import FarmCore

/// The part of a page's preparation that closes its dialogs.
enum PageDialogs {
    /// The name of the first dialog in the page.
    static let name = "__snapfarmDialog"

    /// Runs in each frame, before its scripts.
    ///
    /// A page that asks before it is left is left; what else its listeners do is done.
    static let script = """
        const quote = (text) => {
          try { return JSON.stringify(String(text).slice(0, 200)); } catch { return "its text"; }
        };
        const note = (words) => { try { top.\(name) ??= words; } catch {} };
        for (const [kind, answer] of [["alert", undefined], ["confirm", false], ["prompt", null]]) {
          globalThis[kind] = {[kind](text = "") { note(`${kind}(${quote(text)})`); return answer; }}[kind];
        }
        addEventListener("beforeunload", (event) => {
          event.preventDefault = () => {};
          Object.defineProperty(event, "returnValue", {get: () => "", set: () => {}});
          const listener = globalThis.onbeforeunload;
          globalThis.onbeforeunload = null;
          listener?.call(globalThis, event);
        }, true);
        """
}
