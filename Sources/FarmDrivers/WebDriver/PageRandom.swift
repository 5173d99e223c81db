// The random numbers of pages: the same ones in each run, as their clock is. A page that draws by
// chance, or gives its elements random names, is then the same page every time.

/// Makes the part of a page's preparation that sets its random numbers.
enum PageRandom {
    // The generator is mulberry32. `getRandomValues` refuses what the real one refuses.
    static let script = """
        let drawn32 = 0x5eed;
        const next32 = () => {
          drawn32 = (drawn32 + 0x6d2b79f5) | 0;
          let mixed = Math.imul(drawn32 ^ (drawn32 >>> 15), 1 | drawn32);
          mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
          return (mixed ^ (mixed >>> 14)) >>> 0;
        };
        Math.random = new Proxy(Math.random, {apply: () => next32() / 2 ** 32});
        if (globalThis.Crypto) {
          const bytes = (array) => {
            for (const place of array.keys()) array[place] = next32() >>> 24;
          };
          Crypto.prototype.getRandomValues = new Proxy(Crypto.prototype.getRandomValues, {
            apply(target, self, given) {
              const filled = Reflect.apply(target, self, given);
              bytes(new Uint8Array(filled.buffer, filled.byteOffset, filled.byteLength));
              return filled;
            },
          });
          if (Crypto.prototype.randomUUID) {
            Crypto.prototype.randomUUID = new Proxy(Crypto.prototype.randomUUID, {
              apply(target, self, given) {
                Reflect.apply(target, self, given);
                const array = new Uint8Array(16);
                bytes(array);
                array[6] = array[6] & 0x0f | 0x40;
                array[8] = array[8] & 0x3f | 0x80;
                const text = [...array].map((byte) => byte.toString(16).padStart(2, "0")).join("");
                return [0, 8, 12, 16, 20].map((place, index, all) =>
                  text.slice(place, all[index + 1])).join("-");
              },
            });
          }
        }
        """
}
