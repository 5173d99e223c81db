// Closes the dialogs of a page's scripts. A native dialog stops the page, and chromedriver's
// answers are wrong until the browser is replaced. So pages get functions that return at once what
// a closed dialog returns.
import FarmCore

/// The part of a page's preparation that closes its dialogs.
enum PageDialogs {
    /// The name of the page's variable for the first dialog.
    static let name = "__snapfarmDialog"

    /// The script that runs in each frame, before the frame's own scripts.
    ///
    /// A page that objects to being left is left all the same; everything else in its listeners
    /// runs.
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
