// A built-in page whose content never changes. Its pictures show how a browser draws, so that a run
// tells the drawing of a new browser from changes of other pages.
import Foundation

/// The page that scenes name `snapfarm:probe`.
///
/// It needs no network, runs no script and depends on nothing but the browser, its fonts and the
/// wanted colour scheme. It shows what differs from browser to browser: text in many sizes and
/// contrasts, curves, thin and slanting lines, gradients, shadows, round corners, scaled pictures
/// and controls. Any change of it makes all its references differ.
enum ProbePage {
    /// The page's name as the `url` of a scene.
    static let name = "snapfarm:probe"

    /// The address of the page, which is the page itself.
    static let address = "data:text/html;base64," + Data(text.utf8).base64EncodedString()

    private static let text = """
        <!DOCTYPE html>
        <html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>snapfarm probe</title>
        \(style)
        <main>
        \(words)
        \(families)
        \(shapes)
        \(contrasts)
        </main>
        """

    private static let style = """
        <style>
        * { box-sizing: border-box; animation: none; transition: none; caret-color: \
        transparent; }
        body { margin: 8px; font: 14px/1.4 sans-serif; background: #fff; color: #111; }
        main { display: flex; flex-wrap: wrap; gap: 6px 16px; max-width: 1200px; }
        section { width: 366px; }
        p { margin: 0 0 2px; white-space: nowrap; overflow: hidden; }
        .bar { display: inline-block; width: 60px; height: 5px; border-radius: 3px; margin: \
        4px; }
        .card { display: inline-block; width: 54px; height: 34px; margin: 3px; vertical-align: \
        middle; }
        a { color: #06c; }
        @media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { \
        color: #8bf; } }
        </style>
        """

    private static let words = """
        <section>
        <p style="font-size:10px">10 The quick brown fox jumps over 13 lazy dogs; 0.123456789 \
        € @ &amp; {}[]()</p>
        <p style="font-size:11px">11 Sphinx of black quartz, judge my vow! "fi fl ffi" \
        2026-11-28</p>
        <p style="font-size:12px;color:#767676">12 Pack my box with five dozen liquor jugs: \
        83,605.47</p>
        <p style="font-size:13px">13 Waltz, bad nymph, for quick jigs vex – <a href="#">a \
        link</a> <s>old</s></p>
        <p style="font-size:13px"><b>13 How vexingly quick daft zebras jump</b> \
        <i>italic</i></p>
        <p>14 Amazingly few discotheques provide jukeboxes</p>
        <p style="font-size:15px;font-weight:600">15 Grumpy wizards make toxic brew, 64 %</p>
        <p style="font-size:16px">16 The five boxing wizards jump <b>quickly</b></p>
        <p style="font-size:18px">18 Quick zephyrs blow, vexing daft Jim</p>
        <p style="font-size:21px;font-weight:700">21 Heading of a page 1234567890</p>
        <p style="font-size:28px">28 Large AaBbGgQq &amp;8365</p>
        <p style="font-size:40px;line-height:1.1">40 Sag8&amp;R</p>
        </section>
        """

    private static let families = """
        <section>
        <p style="font:12px serif">12 Serif: the quick brown fox, 0123456789, fi fl \
        <i>italic</i> <b>bold</b></p>
        <p style="font:16px serif">16 Serif: jumps over the lazy dog <i>and back</i></p>
        <p style="font:24px serif">24 Serif Äöüß ÉÇñ</p>
        <p style="font:12px monospace">12 let x = [0, 1, 2].map { $n * 8 } // O0l1I|</p>
        <p style="font:13px monospace">13 func probe() -&gt; Int { 3605 } <b>bold</b></p>
        <p style="font:13px system-ui">13 System: sixty zippers were quickly picked</p>
        <p lang="ja" style="font-size:12px">12 送金する 残高 ¥12,345 ログイン、設定。かなカナ漢字</p>
        <p lang="ja" style="font-size:14px">14 支払い方法を選択してください <b>確認</b> 東京都</p>
        <p lang="ja" style="font-size:20px">20 お知らせ 更新 <b>利用規約</b> 鬱</p>
        <p style="background:#06c;color:#fff;padding:2px 6px">14 White on blue <b>bold</b> \
        <small>small 12</small></p>
        <p style="background:#333;color:#9e9;padding:2px 6px">14 Green on grey <i>italic</i> \
        <small>small</small></p>
        <p style="opacity:.6">14 Text at sixty per cent</p>
        <p style="transform:rotate(2deg)">14 Text that is turned a little</p>
        </section>
        """

    private static let shapes = """
        <section>
        <span class="card" style="border:1px solid #999;border-radius:6px"></span>
        <span class="card" style="border:2px solid #06c;border-radius:17px"></span>
        <span class="card" style="background:#e44;border-radius:4px 12px 0 20px"></span>
        <span class="card" style="box-shadow:0 1px 3px \
        rgba(0,0,0,.4);border-radius:4px;background:#fff"></span>
        <span class="card" style="box-shadow:0 4px 12px \
        rgba(0,0,0,.3);border-radius:8px;background:#fff"></span>
        <span class="card" style="background:linear-gradient(90deg,#06c,#6cf)"></span>
        <span class="card" style="background:linear-gradient(160deg,#f80,#808)"></span>
        <span class="card" style="background:radial-gradient(circle,#fff,#080)"></span>
        <span class="card" style="background:conic-gradient(red,lime,blue,red)"></span>
        <span class="card" style="border:1px dashed #555"></span>
        <span class="card" style="border:3px dotted #555"></span>
        <span class="card" style="border:3px double #555;border-radius:5px"></span>
        <p><svg width="180" height="70" fill="none" stroke="#07a"><path d="M2 60C30-30 60 120 \
        88 10S140 60 178 5" stroke-width="1.5"/><path d="M2 2L178 66M2 66L90 3M100 68L130 2" \
        stroke="#a33"/><path d="M2 68L178 40" stroke-width=".5" stroke="#333"/><circle cx="40" \
        cy="35" r="14.5" fill="#fc0" stroke="none"/><circle cx="90" cy="35" r="11" \
        stroke-width="3"/><ellipse cx="140" cy="40" rx="22" ry="9"/><path d="M150 12l4 8 9 1-6 \
        6 1 9-8-4-8 4 1-9-6-6 9-1z" fill="#393" stroke="none"/></svg>
        <svg width="160" height="70"><defs><filter id="b"><feGaussianBlur \
        stdDeviation="3"/></filter></defs><rect x="12" y="12" width="40" height="40" \
        fill="#c30" filter="url(#b)"/><rect x="70.5" y="12.5" width="30" height="30" rx="7" \
        fill="none" stroke="#555"/><path d="M110 10h40v40z" fill="#36c"/><text x="70" y="64" \
        font-size="11" fill="#888">SVG text 8365</text></svg></p>
        <p><img width="90" height="50" alt="" src="\(bitmap)"> <img width="37" height="37" \
        style="border-radius:50%" alt="" src="\(bitmap)"> <img width="150" height="40" alt="" \
        src="\(bitmap)"></p>
        <p><button>Button</button> <input value="Text 123" size="8"> <input type="checkbox" \
        checked> <input type="checkbox"> <input type="radio" checked> <input type="radio"></p>
        <p><select><option>Select</select> <progress value=".4" style="width:80px"></progress> \
        <input type="range" style="width:90px"> <meter value=".6" \
        style="width:40px"></meter></p>
        <ul style="margin:0;padding-left:20px"><li>A list, <u>underlined</u>, <span \
        style="text-decoration:underline wavy red">wavy</span>, H<sub>2</sub>O<li \
        style="text-shadow:1px 1px 2px #888">shadowed text</ul>
        </section>
        """

    private static let contrasts = """
        <section>
        <p style="background:#f4f2ee;color:#555;padding:1px 6px">14 Grey on sand, <b>bold \
        83</b> <span style="background:#e2ddd6;border-radius:99px;padding:1px \
        8px;font-size:12px">badge</span></p>
        <p style="background:#eee;color:#999;padding:1px 6px">13 Pale: the quick brown fox, \
        0123456789 日本語</p>
        <p style="background:#fbe9e0;color:#b7410e;padding:1px 6px">13 Rust on rose 6,805 \
        <span style="color:#008080">teal 日本語設定</span> <span style="color:#06c">blue</span></p>
        <p style="background:#222;color:#bbb;padding:1px 6px">13 Light on dark 日本語 <span \
        style="color:#7cf">links 36</span> <span style="color:#777">quiet</span></p>
        <p style="background:#fff;color:#000;padding:1px 6px">14 Black on white &amp; <code \
        style="background:#ecf0f3;border-radius:4px;padding:1px 3px">code(83)</code> <span \
        style="color:#ccc">palest words</span></p>
        <span class="bar" style="background:#e2ddd6"></span><span class="bar" \
        style="background:#f4f4f4"></span><span class="bar" \
        style="background:#d0e4f8"></span><span class="bar" style="background:#555"></span>
        <span class="card" style="background:#f8f8f8;border:1px solid \
        #eee;border-radius:8px"></span>
        <span class="card" style="background:#f3f1ec;border:1px solid \
        #dcd6cc;border-radius:3px 9px"></span>
        <span class="card" style="background:#fff;border:1px solid \
        #ccc;border-radius:12px;box-shadow:0 1px 2px rgba(0,0,0,.12)"></span>
        <span class="card" style="background:#fff;border-radius:12px;box-shadow:0 8px 24px \
        rgba(0,0,0,.15)"></span>
        <span class="card" \
        style="background:linear-gradient(#fff,#e8e8e8);border-radius:5px"></span>
        <span class="card" style="background:repeating-linear-gradient(45deg,#eee 0 4px,#ccc \
        4px 8px)"></span>
        <p><img width="20" height="20" alt="" src="\(drawing)"> <img width="24" height="24" \
        alt="" src="\(drawing)"> <img width="57" height="57" alt="" src="\(drawing)"> <img \
        width="121" height="101" alt="" src="\(drawing)"></p>
        <svg width="360" height="80" fill="none" stroke="#000" stroke-width="2"><rect x="4" \
        y="8.4" width="90" height="28" rx="14"/><path d="M94 22.4h30M150 12q20 0 20 20t20 \
        20h40M4 60.7h80q12 0 12-12"/><path d="M124 17l10 5.4-10 5.4zM230 47l10 5-10 5z" \
        fill="#000" stroke="none"/><rect x="250.6" y="6" width="90" height="30" rx="15"/><text \
        x="266" y="27" font-size="17" fill="#000" stroke="none">SAVE</text><text x="22" y="28" \
        font-size="15" fill="#000" stroke="none">name</text></svg>
        </section>
        """

    /// A small bitmap, for the filter that scales pictures.
    private static let bitmap = """
        data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAwAAAAICAIAAABChommAAAANklEQVR42r3OoQ\
        0AIBAEwSGhhbfUQf/qy0JgP4Di1KjNNQQhgzBLd8N13UgwQe3X0qmx/fnTAhimDZ8ocA5wAAAAAElFTkSuQm\
        CC
        """

    /// A vector picture with a gradient, for sizes of an icon and larger ones.
    private static let drawing = """
        data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'><line\
        arGradient id='a'><stop stop-color='%235a9fd4'/><stop offset='1' stop-color='%233069\
        98'/></linearGradient><path d='M20 2c-9 0-9 4-9 8v4h10v2H7c-4 0-6 4-6 8s2 8 6 8h4v-5\
        c0-4 3-6 6-6h9c3 0 5-2 5-5v-6c0-5-4-8-11-8z' fill='url(%23a)'/><circle cx='15' cy='8\
        ' r='2' fill='%23fff'/><path d='M20 39c9 0 10-4 10-8v-4H20v-2h14c4 0 5-5 5-9l-6 2c0 \
        5-4 7-7 7h-8c-3 0-6 2-6 6z' fill='%23ffd43b' stroke='%23c90'/><path d='M2 38L9 30' s\
        troke='%23333' fill='none'/></svg>
        """
}
