// The page's style. Verdict colours are the Okabe-Ito palette, darkened or lightened to a
// contrast of at least 4.5:1; no verdict is told by colour alone.

enum PageStyle {
    static let text = base + overview + toolbar + changes + rest

    private static let base = #"""
        :root { color-scheme: light dark;
          --page: #f7f6f3; --surface: #fff; --ink: #1d1c1a; --muted: #67645e; --line: #e3e0da;
          --accent: #2456c8; --check: #efede8; --raised: #fff;
          --passed: #00705a; --changed: #a84300; --new: #005fa8; --moved: #5350b8;
          --missing: #8d3a74; --unreached: #67645e; --flaky: #7d6000; --failed: #b01238;
          --errored: #1d1c1a; --none: #1d1c1a;
          --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono",
            monospace; }
        @media (prefers-color-scheme: dark) { :root {
          --page: #131312; --surface: #1c1c1a; --ink: #edebe6; --muted: #a5a199; --line: #34332f;
          --accent: #8fb1ff; --check: #242422; --raised: #45433e;
          --passed: #45c2a1; --changed: #ff9c56; --new: #6cb9ff; --moved: #aeb0ff;
          --missing: #e698c9; --unreached: #a5a199; --flaky: #e2c04b; --failed: #ff7d93;
          --errored: #edebe6; --none: #edebe6; } }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { scroll-padding-top: 6.5rem; -webkit-text-size-adjust: 100%; }
        body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 Inter,
          -apple-system, BlinkMacSystemFont, "Segoe UI", "Hiragino Sans", "Noto Sans",
          "Liberation Sans", "Noto Sans CJK JP", sans-serif; font-variant-numeric: tabular-nums; }
        .top, main { max-width: 88rem; margin: 0 auto; padding: 0 2rem; }
        main { padding-bottom: 6rem; }
        h1, h2, h3, h4, p, ul, dl, dd, figure, pre { margin: 0; padding: 0; }
        h2 { font-size: 1.25rem; letter-spacing: -.01em; margin: 3rem 0 1rem; display: flex;
          align-items: baseline; gap: .6rem; flex-wrap: wrap; }
        h3 { font-size: 1rem; margin: 1.75rem 0 .75rem; }
        small { font-size: .8125rem; font-weight: 400; color: var(--muted); }
        bdi, h4 { overflow-wrap: anywhere; }
        a { color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        code, pre { font-family: var(--mono); font-size: .8125rem; }
        button, input, select { font: inherit; color: inherit; }
        .quiet { color: var(--muted); font-size: .8125rem; }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: 1rem; }
        .passed { --c: var(--passed); } .changed { --c: var(--changed); }
        .new { --c: var(--new); } .moved { --c: var(--moved); } .missing { --c: var(--missing); }
        .unreached { --c: var(--unreached); } .flaky { --c: var(--flaky); }
        .failed { --c: var(--failed); } .errored { --c: var(--errored); }
        .none, .incomplete, .cancelled, .unjudgeable, .running { --c: var(--none); }
        .badge { display: inline-block; padding: .05rem .55rem; border-radius: 99px;
          font-size: .75rem; font-weight: 600; line-height: 1.5; white-space: nowrap;
          color: var(--c); background: color-mix(in srgb, var(--c) 12%, transparent); }
        .badge.skipped { --c: var(--muted); }
        .badge.errored, .badge.none { color: var(--surface); background: var(--c); }
        .chips { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem; }
        .chips li { border: 1px solid var(--line); border-radius: 5px; padding: 0 .4rem;
          font-size: .75rem; color: var(--muted); background: var(--page); }

        """#

    private static let overview = #"""
        .top { padding-top: 3rem; }
        .kicker { color: var(--muted); font-size: .8125rem; letter-spacing: .04em; }
        h1 { font-size: clamp(1.75rem, 4vw, 2.5rem); line-height: 1.15; letter-spacing: -.025em;
          display: flex; align-items: center; gap: .9rem; flex-wrap: wrap; }
        .state { font-size: .875rem; letter-spacing: 0; padding: .2rem .8rem; border-radius: 99px;
          background: var(--c); color: var(--surface); }
        .headline { font-size: 1.0625rem; margin-top: .5rem; max-width: 48rem; }
        .facts { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin-top: 1.5rem;
          padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: .8125rem; }
        .facts dt { color: var(--muted); }
        .facts dd { font-family: var(--mono); overflow-wrap: anywhere; max-width: 26rem; }
        .problems ul { list-style: none; display: grid; gap: .5rem; }
        .problems li { border: 1px solid var(--line); border-left: 3px solid var(--failed);
          border-radius: 6px; background: var(--surface); padding: .7rem 1rem; }
        .problems code { color: var(--failed); }
        .problems strong { font-weight: 600; display: block; }
        .problems span { color: var(--muted); }
        .matrix { overflow: auto; max-height: min(28rem, 60vh); border: 1px solid var(--line);
          border-radius: 10px; background: var(--surface); }
        table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .875rem; }
        th, td { padding: .35rem .9rem; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--line); }
        th:first-child { text-align: left; position: sticky; left: 0; background: var(--surface);
          font-weight: 500; width: 99%; }
        th small { margin-left: .35rem; }
        thead th { position: sticky; top: 0; z-index: 1; background: var(--surface);
          padding-block: .6rem; font-weight: 500; color: var(--muted); }
        thead th:first-child { z-index: 2; }
        tfoot th, tfoot td { position: sticky; bottom: 0; background: var(--surface);
          border-bottom: 0; border-top: 1px solid var(--line); font-weight: 600; }
        tbody tr:last-child > * { border-bottom: 0; }
        .zero, .planned { color: var(--muted); }
        .count { border: 0; cursor: pointer; min-width: 2.25rem; padding: .1rem .5rem;
          margin-right: -.5rem; text-align: right; border-radius: 5px; font-weight: 600; color: var(--c);
          background: color-mix(in srgb, var(--c) 10%, transparent); }
        .count.passed { background: none; font-weight: 400; }
        .count:hover { background: color-mix(in srgb, var(--c) 22%, transparent); }

        """#

    private static let toolbar = #"""
        .toolbar { position: sticky; top: 0; z-index: 5; margin: 2.5rem -2rem 0; padding: .75rem 2rem;
          display: grid; gap: .5rem; border-block: 1px solid var(--line);
          background: color-mix(in srgb, var(--page) 88%, transparent);
          backdrop-filter: blur(14px); }
        .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
        .chip, .toolbar input[type=search], select { border: 1px solid var(--line);
          border-radius: 7px; background: var(--surface); padding: .25rem .7rem;
          font-size: .8125rem; }
        .chip { cursor: pointer; color: var(--c); border-radius: 99px; }
        .chip b { font-weight: 500; opacity: .7; }
        .chip:hover { border-color: var(--c); }
        .chip[aria-pressed=true] { background: var(--c); border-color: var(--c);
          color: var(--surface); }
        .toolbar input[type=search] { flex: 1 1 12rem; max-width: 22rem; }
        select { max-width: 15rem; }
        .modes { border: 0; margin: 0; padding: 2px; display: flex; border-radius: 8px;
          background: color-mix(in srgb, var(--ink) 8%, transparent); }
        .modes legend { position: absolute; left: -99rem; }
        .modes input { position: absolute; opacity: 0; }
        .modes span { display: block; padding: .2rem .7rem; border-radius: 6px; cursor: pointer;
          font-size: .8125rem; }
        .modes input:checked + span { background: var(--raised);
          box-shadow: 0 1px 2px rgb(0 0 0 / .16); }
        .modes input:focus-visible + span { outline: 2px solid var(--accent); }
        .regions { font-size: .8125rem; display: flex; gap: .35rem; align-items: center; }
        #shown { margin-left: auto; color: var(--muted); font-size: .8125rem; }
        .keys { margin-left: auto; font-size: .75rem; font-weight: 400; color: var(--muted); }
        kbd { font: 500 .6875rem var(--mono); border: 1px solid var(--line); border-radius: 4px;
          padding: .05rem .3rem; background: var(--surface); }

        """#

    private static let changes = #"""
        .change { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 1.75rem;
          background: var(--surface); border: 1px solid var(--line); border-radius: 12px;
          padding: 1.25rem; margin-bottom: 1rem;
          content-visibility: auto; contain-intrinsic-size: auto 34rem; }
        .change:focus { outline: 2px solid var(--accent); outline-offset: 3px; }
        .about { min-width: 0; overflow-wrap: anywhere; }
        .about > * + * { margin-top: .6rem; }
        .about h4 { font-size: 1.125rem; line-height: 1.3; letter-spacing: -.01em; }
        .about h4 a { color: inherit; text-decoration: none; }
        .path { font: .75rem/1.45 var(--mono); color: var(--muted); overflow-wrap: anywhere; }
        .path + .path { margin-top: .2rem; }
        .words { font-size: .875rem; }
        .numbers { font-size: .8125rem; border-top: 1px solid var(--line); padding-top: .6rem; }
        .numbers div { display: flex; justify-content: space-between; }
        .numbers dt { color: var(--muted); }
        .stage { --tall: 27rem; --at: 50%; display: grid; gap: 1.25rem; align-items: start;
          grid-template-columns: repeat(3, minmax(0, 1fr)); }
        figcaption { font-size: .75rem; color: var(--muted); margin-bottom: .4rem; }
        figcaption a { opacity: 0; }
        figure:hover figcaption a, figcaption a:focus { opacity: 1; }
        .frame { position: relative; overflow: hidden; border-radius: 6px;
          outline: 1px solid var(--line); aspect-ratio: var(--w) / var(--h);
          width: min(100%, calc(var(--tall) * var(--w) / var(--h)));
          background: repeating-conic-gradient(var(--check) 0 25%, var(--surface) 0 50%)
            0 0 / 16px 16px; }
        .frame img { display: block; height: auto; font-size: .75rem;
          width: calc(100% * var(--iw, var(--w)) / var(--w)); }
        .frame.empty { display: grid; place-items: center; color: var(--muted);
          font-size: .8125rem; outline-style: dashed; background: none; min-height: 8rem;
          padding: 1rem; text-align: center; }
        .frame i { display: none; position: absolute; border: 2px solid var(--changed);
          border-radius: 3px; box-shadow: 0 0 0 1px rgb(255 255 255 / .8);
          left: calc(100% * var(--x) / var(--w)); top: calc(100% * var(--y) / var(--h));
          width: calc(100% * var(--bw) / var(--w)); height: calc(100% * var(--bh) / var(--h)); }
        .boxes .frame i { display: block; }
        .slider { display: none; accent-color: var(--accent); }
        [data-mode=swipe] .pair, [data-mode=blink] .pair, [data-mode=diff] .pair.has-diff {
          --tall: min(40rem, 76vh); gap: .5rem;
          grid-template-columns: min(100%, calc(var(--tall) * var(--w) / var(--h))); }
        [data-mode=swipe] .pair figure, [data-mode=blink] .pair figure,
        [data-mode=diff] .pair.has-diff figure { grid-area: 1 / 1; }
        :is([data-mode=swipe], [data-mode=blink]) .pair .current figcaption { text-align: right; }
        :is([data-mode=swipe], [data-mode=blink]) .pair .diff { display: none; }
        :is([data-mode=swipe], [data-mode=blink], [data-mode=diff]) .pair figcaption a {
          display: none; }
        [data-mode=swipe] .pair .frame { cursor: ew-resize; touch-action: pan-y;
          user-select: none; }
        [data-mode=swipe] .pair .slider { display: block; grid-area: 2 / 1; width: 100%;
          margin: 0; }
        [data-mode=swipe] .pair .current .frame { clip-path: inset(0 0 0 var(--at)); }
        [data-mode=swipe] .pair .reference .frame::after { content: ""; position: absolute;
          inset-block: 0; left: calc(var(--at) - 2px); width: 2px; background: var(--accent); }
        [data-mode=blink] .pair .current { animation: blink 1.4s steps(1) infinite; }
        [data-mode=blink] .pair.held .current { animation-play-state: paused; }
        @keyframes blink { 50% { visibility: hidden; } }
        [data-mode=diff] .pair.has-diff .reference { display: none; }
        [data-mode=diff] .pair.has-diff .current figcaption { text-align: right; }
        [data-mode=diff] .pair.has-diff.held .diff { visibility: hidden; }
        @media (prefers-reduced-motion: reduce) {
          [data-mode=blink] .pair .current { animation: none; }
          [data-mode=blink] .pair.held .current { visibility: hidden; } }

        """#

    private static let rest = #"""
        .test { background: var(--surface); border: 1px solid var(--line); border-radius: 10px;
          padding: .9rem 1.25rem; margin-bottom: .6rem; }
        .test header { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: center; }
        .test h3 { margin: 0; font: 600 .875rem var(--mono); overflow-wrap: anywhere; }
        .test .quiet { margin-left: auto; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .6rem; }
        .test .message { color: var(--ink); }
        .cause > ul { list-style: none; margin-top: .6rem; }
        .cause li { border-top: 1px solid var(--line); margin-top: .4rem; padding-top: .4rem; }
        details pre { max-height: 24rem; overflow: auto; background: var(--page);
          border-radius: 6px; padding: .75rem 1rem; }
        summary { cursor: pointer; font-size: .8125rem; color: var(--muted); margin-top: .5rem; }
        .screen { content-visibility: auto; contain-intrinsic-size: auto 19rem;
          padding: .9rem 2px .4rem; margin-inline: -2px;
          border-top: 1px solid var(--line); }
        .screen h4 { font-size: .9375rem; font-weight: 600; margin-bottom: .7rem; }
        .screen h4 small { font-family: var(--mono); font-size: .75rem; }
        .strip { display: flex; flex-wrap: wrap; gap: 1rem 1.25rem; }
        .thumb { width: min(100%, max(7.5rem, calc(12rem * var(--w) / var(--h)))); }
        .thumb img { display: block; width: min(100%, calc(12rem * var(--w) / var(--h)));
          aspect-ratio: var(--w) / var(--h); border-radius: 5px; outline: 1px solid var(--line);
          background: var(--surface); }
        .thumb a:hover img { outline-color: var(--accent); }
        .thumb figcaption { margin: .4rem 0 0; color: var(--ink); line-height: 1.35; }
        .thumb figcaption small, .thumb figcaption .badge { display: block; font-size: .6875rem;
          width: fit-content; max-width: 100%; }
        @media (max-width: 62rem) { .change { grid-template-columns: 1fr; } .keys { display: none; } }
        @media (max-width: 44rem) {
          .top, main { padding-inline: 1rem; }
          .toolbar { position: static; margin-inline: -1rem; padding-inline: 1rem; }
          .stage { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
        @media print { .toolbar, .keys { display: none; } .change { break-inside: avoid; } }

        """#
}
