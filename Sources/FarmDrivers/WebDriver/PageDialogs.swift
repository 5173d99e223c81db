// What becomes of the dialogs that a page's scripts open. A native one stops the page and mixes up
// the answers of chromedriver until the browser is replaced, so pages get functions that answer at
// once as a person does who closes a dialog.
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
