// The clock of pages and of their workers: it begins at a fixed instant and goes on. If it stood
// still, code that waits by the clock (a debounced function) would wait for ever.
import FarmCore

/// Makes the part of a page's preparation that sets its clock.
enum PageClock {
    /// Returns the script that sets a page's clock; `time` is the time that the page sees when it
    /// is opened.
    ///
    /// A frame that can access its parent has the parent's clock.
    static func text(time: String) -> String {
        """
        \(setClock)
        try { page.shift = parent.\(PagePreloadScript.page).shift; } catch {}
        page.shift ??= Date.parse(\(JSONValue.literal(time))) - Date.now();
        setClock(globalThis, page.shift, null);
        """
    }

    // One function, because workers get its text: a worker sees the machine's clock unless its
    // script begins with this function. The new script is a blob, whose address is no base for
    // relative addresses, so the worker also gets the address of its own script.
    private static let setClock = """
        function setClock(scope, shift, home) {
          const Real = scope.Date;
          const now = () => Real.now() + shift;
          const replace = (name, handler) => {
            const real = scope[name];
            if (!real) return;
            scope[name] = new Proxy(real, handler);
            if (real.prototype) real.prototype.constructor = scope[name];
          };
          const alter = (type, name, change) => {
            const old = type && Object.getOwnPropertyDescriptor(type, name);
            if (old) Object.defineProperty(type, name, change(old));
          };
          replace("Date", {
            construct: (target, given, made) =>
              Reflect.construct(target, given.length > 0 ? given : [now()], made),
            apply: () => new Real(now()).toString(),
            get: (target, key) => key === "now" ? now : Reflect.get(target, key),
          });
          const dated = (given) => given[0] === undefined ? [now()] : given;
          const formats = new WeakMap();
          alter(Intl.DateTimeFormat.prototype, "format", (old) => ({...old, get() {
            const real = Reflect.apply(old.get, this, []);
            if (!formats.has(real)) formats.set(real, (...given) => real(...dated(given)));
            return formats.get(real);
          }}));
          alter(Intl.DateTimeFormat.prototype, "formatToParts", (old) => ({...old,
            value(...given) { return Reflect.apply(old.value, this, dated(given)); }}));
          const today = scope.Temporal?.Now;
          if (today) {
            const instant = () => scope.Temporal.Instant.fromEpochMilliseconds(Math.floor(now()));
            const zoned = (zone = today.timeZoneId()) => instant().toZonedDateTimeISO(zone);
            Object.assign(today, {
              instant, zonedDateTimeISO: zoned,
              plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
              plainDateISO: (zone) => zoned(zone).toPlainDate(),
              plainTimeISO: (zone) => zoned(zone).toPlainTime(),
            });
          }
          replace("File", {construct: (target, given, made) => Reflect.construct(target,
            given.length < 2 ? given
              : [given[0], given[1], {...given[2], lastModified: given[2]?.lastModified ?? now()}],
            made)});
          const opened = new Real(now());
          const two = (number) => String(number).padStart(2, "0");
          alter(scope.Document?.prototype, "lastModified", (old) => ({...old, get: () =>
            `${two(opened.getMonth() + 1)}/${two(opened.getDate())}/${opened.getFullYear()} `
              + [opened.getHours(), opened.getMinutes(), opened.getSeconds()].map(two).join(":")}));
          const moved = (old) => old.get ? {...old, get() {
            const time = Reflect.apply(old.get, this, []);
            return typeof time === "number" && time > 0 ? time + shift : time;
          }} : old;
          alter(scope.Performance?.prototype, "timeOrigin", moved);
          const timing = scope.PerformanceTiming?.prototype;
          for (const name of Object.keys(timing ?? {})) alter(timing, name, moved);

          const blobs = new Map();
          alter(scope.URL, "createObjectURL", (old) => ({...old, value(blob) {
            const address = Reflect.apply(old.value, this, [blob]);
            blobs.set(address, blob);
            return address;
          }}));
          alter(scope.URL, "revokeObjectURL", (old) => ({...old, value(address) {
            blobs.delete(String(address));
            return Reflect.apply(old.value, this, [address]);
          }}));
          const create = scope.URL.createObjectURL;
          const made = new Map();
          const prepared = (address, options) => {
            const url = new URL(address, home ?? scope.document?.baseURI).href;
            const origin = new URL(url).origin;
            const isNear = origin === (home ? new URL(home).origin : scope.location.origin);
            if (!blobs.has(url) && (!isNear || origin === "null")) return null;
            const isModule = options?.type === "module";
            const key = url + isModule;
            if (made.has(key)) return made.get(key);
            const blob = (...parts) =>
              Reflect.apply(create, scope.URL, [new Blob(parts, {type: "text/javascript"})]);
            const text = `(${setClock})(self, ${shift}, ${JSON.stringify(url)});\\n`;
            const whole = blobs.has(url) ? blob(text, blobs.get(url))
              : isModule
                ? blob(`import ${JSON.stringify(blob(text))};\\nimport ${JSON.stringify(url)};`)
                : blob(text, `importScripts(${JSON.stringify(url)});`);
            if (!blobs.has(url)) made.set(key, whole);
            return whole;
          };
          for (const name of ["Worker", "SharedWorker"]) {
            replace(name, {construct(target, given, type) {
              try {
                const address = prepared(given[0], given[1]);
                if (address) return Reflect.construct(target, [address, ...given.slice(1)], type);
              } catch {}
              // A policy of the page may forbid blobs: then the worker keeps the machine's clock.
              return Reflect.construct(target, given, type);
            }});
          }
          if (!home || home.startsWith("blob:")) return;
          const near = (address) =>
            typeof address === "string" || address instanceof URL ? new URL(address, home).href
              : address;
          Object.defineProperty(scope, "location", {value: new URL(home), configurable: true});
          for (const name of ["importScripts", "fetch"]) {
            const real = scope[name];
            if (name === "fetch") scope[name] = (address, ...rest) => real(near(address), ...rest);
            else scope[name] = (...list) => real(...list.map(near));
          }
          replace("Request", {construct: (target, [address, ...rest], type) =>
            Reflect.construct(target, [near(address), ...rest], type)});
          alter(scope.XMLHttpRequest?.prototype, "open", (old) => ({...old,
            value(method, address, ...rest) {
              return Reflect.apply(old.value, this, [method, near(address), ...rest]);
            }}));
        }
        """
}
