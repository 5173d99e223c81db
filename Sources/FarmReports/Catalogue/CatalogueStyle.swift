// The style rules that the catalogue adds to those of the report's page.

enum CatalogueStyle {
    static let text = #"""
        .find { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; gap: .5rem;
          align-items: center; margin: 2rem -2rem 0; padding: .75rem 2rem;
          border-block: 1px solid var(--line); background: var(--page); }
        .find input, .find select { border: 1px solid var(--line); border-radius: 7px;
          background: var(--surface); padding: .35rem .7rem; font-size: .875rem; }
        .find input { flex: 1 1 12rem; max-width: 26rem; }
        .covered { margin-top: 1.5rem; border: 1px solid var(--line); border-radius: 8px;
          background: var(--surface); padding: .7rem 1rem; }
        .covered summary { margin: 0; color: var(--ink); font-size: .9375rem; }
        .covered ul { columns: 18rem; margin: .5rem 0 0 1.2rem; font-size: .875rem; }
        .place { padding: 1rem 0; border-top: 1px solid var(--line);
          content-visibility: auto; contain-intrinsic-size: auto 20rem; }
        .place h3 { margin: 0 0 .8rem; overflow-wrap: anywhere; }
        .place h3 small { font-family: var(--mono); font-size: .75rem; }
        .shots { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: flex-start; }
        .shot { width: min-content; min-width: 7rem; max-width: 100%; }
        .shot a { display: block; width: fit-content; max-width: 100%; border-radius: 4px; }
        .shot img { display: block; max-width: 100%; max-height: 16rem; width: auto; height: auto;
          object-fit: contain; border-radius: 4px; outline: 1px solid var(--line);
          background: var(--surface); }
        .shot img.unmade { height: 12rem; min-width: 5rem; }
        .sets { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; }
        .sets select { max-width: min(100%, 32rem); }
        .shot a:hover img { outline-color: var(--accent); }
        .shot figcaption { margin-top: .4rem; font-size: .8125rem; line-height: 1.35; }
        .shot figcaption small { display: block; font-size: .75rem; }
        @media (max-width: 44rem) {
          .find { position: static; margin-inline: -1rem; padding-inline: 1rem; } }
        @media print { .find { display: none; } }

        """#
}
