// The style rules that the pages around a run add to those of the run's page.

enum RunsStyle {
    static let text = #"""
        .entrance { margin-bottom: 1.5rem; display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline;
          justify-content: space-between; }
        .entrance nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; }
        .entrance form { display: inline; }
        .entrance button, .enter button { border: 1px solid var(--line); border-radius: 6px;
          background: var(--surface); padding: .3rem .8rem; cursor: pointer; }
        .enter { display: grid; gap: .6rem; max-width: 26rem; margin-top: 1rem; }
        .enter input { border: 1px solid var(--muted); border-radius: 6px; padding: .4rem .6rem;
          background: var(--surface); width: 100%; }
        .enter button { background: var(--accent); color: var(--surface); justify-self: start; }
        [role=alert] { border-left: 3px solid var(--failed); padding: .4rem .8rem;
          background: var(--surface); margin: 1rem 0; }
        .filter { display: flex; gap: 1rem; align-items: baseline; margin: 1rem 0; }
        .filter ul { list-style: none; display: flex; gap: .5rem; }
        .standing { margin: .6rem 0 .2rem; }
        .standing + p + p { margin-top: .6rem; }
        .scroll { overflow-x: auto; }
        table.runs { border-collapse: collapse; width: 100%; background: var(--surface); }
        table.runs th, table.runs td { text-align: left; padding: .45rem .7rem;
          border-bottom: 1px solid var(--line); vertical-align: top; }
        table.runs time, table.runs code { white-space: nowrap; }
        table.runs td small { display: block; }
        table.runs :is(th, td):first-child { width: 1%; white-space: nowrap; }
        progress { width: 6rem; height: .5rem; accent-color: var(--accent); }
        @media (max-width: 44rem) {
          .list table, .list tbody { display: block; }
          .list thead { position: absolute; left: -99rem; }
          .list tr { display: grid; grid-template-columns: 6rem 1fr; gap: .1rem .6rem;
            padding: .6rem .8rem; border-bottom: 1px solid var(--line); }
          .list table.runs td { padding: 0; border: 0; white-space: normal; grid-column: 2; }
          .list table.runs td:first-child { grid-column: 1; width: auto; }
          .list td:nth-child(5), .list td:empty { display: none; } }
        .strip { display: inline-flex; align-items: end; gap: 2px; height: 1.5rem; flex-wrap: wrap; }
        .strip i { width: 6px; height: 100%; border-radius: 2px; background: var(--c); }
        .strip .passed { height: 35%; opacity: .7; } .strip .flaky { height: 70%; }
        .list + .quiet { margin-top: .6rem; }
        table.runs td > .thumb img { height: 8rem; } table.runs td p { overflow-wrap: anywhere; }
        .reasons { padding-left: 1.2rem; }
        .pages { margin: 1rem 0; }

        """#
}
