// The script of the pages around a run: it loads what is new, and shows times in the reader's time
// zone. Without script the page reloads itself every ten seconds.

enum RunsScript {
    static let text = #"""
        "use strict";
        (() => {
          const times = () => {
            for (const time of document.querySelectorAll("time[datetime]")) {
              const date = new Date(time.dateTime);
              if (isNaN(date)) continue;
              time.title = time.dateTime;
              time.textContent = date.toLocaleString(document.documentElement.lang,
                { dateStyle: "medium", timeStyle: "short" });
            }
          };
          times();
          const main = document.querySelector("main[data-events]");
          if (!main) return;
          // An event during a fetch causes one more fetch.
          let isAsking = false, isAgain = false;
          const renew = async () => {
            isAgain = isAsking;
            if (isAsking) return;
            isAsking = true;
            try {
              const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
              const page = new DOMParser().parseFromString(await answer.text(), "text/html");
              const fresh = page.querySelector("main[data-events]");
              // After the end of the run, or after a log-out, the address shows another page.
              if (!answer.ok || !fresh) { location.reload(); return; }
              main.replaceChildren(...fresh.childNodes);
              times();
            } catch { /* The next event tries again. */ }
            isAsking = false;
            if (isAgain) renew();
          };
          new EventSource(main.dataset.events).addEventListener("changed", renew);
        })();

        """#
}
