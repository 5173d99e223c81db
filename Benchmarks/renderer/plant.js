// Plants one change of a kind in the page that it runs in, at a place that the seed draws. Sets
// `document.title` to what it did, or leaves the page alone if it has no such place.
function plant(kind, seed) {
let state = seed >>> 0;
const random = () => { state = (state + 0x6D2B79F5) >>> 0; let t = state; t = Math.imul(t ^ t >>> 15, t | 1); t ^= t + Math.imul(t ^ t >>> 7, t | 61); return ((t ^ t >>> 14) >>> 0) / 4294967296; };
const pick = list => list[Math.floor(random() * list.length)];
const seen = box => box.width > 1 && box.height > 1 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
function words(test) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!parent || /SCRIPT|STYLE|OPTION|TEXTAREA/.test(parent.tagName)) continue;
    if (parent.checkVisibility && !parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const pattern = /\S+/g; let match;
    while ((match = pattern.exec(node.data))) {
      if (!test(match[0])) continue;
      const range = document.createRange();
      range.setStart(node, match.index); range.setEnd(node, match.index + match[0].length);
      const box = range.getBoundingClientRect();
      if (!seen(box)) continue;
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!top || !(top === parent || parent.contains(top) || top.contains(parent))) continue;
      found.push({node, index: match.index, word: match[0]});
    }
  }
  return found;
}
function wrap(place, style) {
  const range = document.createRange();
  range.setStart(place.node, place.index); range.setEnd(place.node, place.index + place.word.length);
  const span = document.createElement("span");
  Object.assign(span.style, style);
  range.surroundContents(span);
  return span;
}
function write(place, word) { place.node.data = place.node.data.slice(0, place.index) + word + place.node.data.slice(place.index + place.word.length); return place.word + " → " + word; }
function boxes(test) { return [...document.body.querySelectorAll("*")].filter(e => { const b = e.getBoundingClientRect(); return seen(b) && b.height >= 6 && b.width >= 6 && test(e, getComputedStyle(e), b); }); }
const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
const shift = (c, by) => "rgb(" + c.slice(0, 3).map(v => v + by > 255 ? v - by : v + by).join(",") + ")";
function blank(size) {
  for (let n = 0; n < 400; n++) {
    const x = Math.floor(random() * (innerWidth - size)), y = Math.floor(random() * (innerHeight - size));
    return [x, y];
  }
}
const any = /[a-zA-Z0-9]/;
switch (kind) {
case "digit": { const p = pick(words(w => /\d/.test(w))); if (!p) return null;
  const other = {0: "8", 1: "7", 2: "7", 3: "8", 4: "1", 5: "6", 6: "8", 7: "1", 8: "3", 9: "8"};
  const at = pick([...p.word].map((c, i) => /\d/.test(c) ? i : -1).filter(i => i >= 0));
  return write(p, p.word.slice(0, at) + other[p.word[at]] + p.word.slice(at + 1)); }
case "letter": { const near = {a: "o", b: "h", c: "e", d: "a", e: "c", f: "t", g: "q", h: "b", i: "l", j: "i", k: "h", l: "i", m: "n", n: "h", o: "c", p: "b", q: "g", r: "n", s: "z", t: "f", u: "v", v: "u", w: "v", x: "k", y: "v", z: "s", E: "F", F: "E", O: "Q", Q: "O", P: "R", R: "P", C: "G", G: "C", I: "l"};
  const p = pick(words(w => [...w].some(c => near[c]))); if (!p) return null;
  const at = pick([...p.word].map((c, i) => near[c] ? i : -1).filter(i => i >= 0));
  return write(p, p.word.slice(0, at) + near[p.word[at]] + p.word.slice(at + 1)); }
case "swap": { const all = words(w => any.test(w)); const pairs = [];
  for (let i = 1; i < all.length; i++) if (all[i].node === all[i - 1].node && all[i].word !== all[i - 1].word) pairs.push([all[i - 1], all[i]]);
  const pair = pick(pairs); if (!pair) return null; const [a, b] = pair, text = a.node.data;
  a.node.data = text.slice(0, a.index) + b.word + text.slice(a.index + a.word.length, b.index) + a.word + text.slice(b.index + b.word.length);
  return a.word + " " + b.word; }
case "dotgone": { const p = pick(words(w => /\w[.,:;]$/.test(w))); return p ? write(p, p.word.slice(0, -1)) : null; }
case "dotnew": { const p = pick(words(w => /\w$/.test(w))); return p ? write(p, p.word + pick([".", ","])) : null; }
case "pixel": { const [x, y] = blank(1); const e = document.createElement("div");
  e.style.cssText = `position:fixed;left:${x}px;top:${y}px;width:1px;height:1px;background:${pick(["#222", "#c00", "#06c"])};z-index:99999`; document.body.append(e); return `${x},${y}`; }
case "colour8": case "colour24": case "colour64": case "hue": { const p = pick(words(w => /\w\w/.test(w))); if (!p) return null;
  const c = rgb(getComputedStyle(p.node.parentElement).color);
  if (kind === "hue") { const d = c.slice(0, 3); const i = pick([0, 1, 2]); d[i] = d[i] + 60 > 255 ? d[i] - 60 : d[i] + 60; wrap(p, {color: `rgb(${d})`}); return p.word; }
  wrap(p, {color: shift(c, Number(kind.slice(6)))}); return p.word; }
case "back3": case "back6": { const by = Number(kind.slice(4));
  const e = pick(boxes((e, s, b) => /block|flex|grid|cell/.test(s.display) && b.height < 300)); if (!e) return null;
  let at = e, c = [255, 255, 255];
  for (; at; at = at.parentElement) { const v = rgb(getComputedStyle(at).backgroundColor); if (v.length === 3 || v[3] > .5) { c = v; break; } }
  e.style.background = shift(c, -by < 0 && c[0] < by ? by : -by).replace(/-\d+/g, "0"); return e.tagName + " " + e.style.background; }
case "border": { const e = pick(boxes((e, s) => /block|flex|cell/.test(s.display))); if (!e) return null; const s = getComputedStyle(e);
  if (parseFloat(s.borderBottomWidth) > 0) { e.style.borderBottomWidth = parseFloat(s.borderBottomWidth) + 1 + "px"; e.style.marginBottom = parseFloat(s.marginBottom) - 1 + "px"; }
  else e.style.boxShadow = "inset 0 -1px #bbb"; return e.tagName; }
case "borderless": { const e = pick(boxes((e, s) => parseFloat(s.borderTopWidth) + parseFloat(s.borderBottomWidth) > 0)); if (!e) return null; e.style.borderColor = "transparent"; return e.tagName; }
case "move": { const e = pick(boxes((e, s, b) => /A|BUTTON|IMG|SVG|INPUT|CODE|LI|H1|H2|H3|B|STRONG|SPAN/.test(e.tagName.toUpperCase()) && b.width < 400 && b.height < 80)); if (!e) return null;
  e.style.position = "relative"; e.style[pick(["left", "top"])] = pick(["1px", "-1px"]); return e.tagName + " " + e.textContent.slice(0, 20); }
case "radius": { const e = pick(boxes((e, s) => (parseFloat(s.borderTopWidth) > 0 || rgb(s.backgroundColor).length === 3) && parseFloat(s.borderTopLeftRadius) !== 6)); if (!e) return null;
  const r = parseFloat(getComputedStyle(e).borderTopLeftRadius); e.style.borderRadius = r > 0 ? "0" : "4px"; return e.tagName; }
case "underline": { const e = pick(boxes((e, s) => e.tagName === "A" && e.textContent.trim())); if (!e) return null;
  const s = getComputedStyle(e); e.style.textDecoration = s.textDecorationLine === "none" ? "underline" : "none"; return e.textContent.slice(0, 20); }
case "weight": { const p = pick(words(w => /\w\w/.test(w))); if (!p) return null;
  const bold = Number(getComputedStyle(p.node.parentElement).fontWeight) >= 600; const span = wrap(p, {fontWeight: bold ? 400 : 700}); return p.word; }
case "icon": { const e = pick(boxes((e, s) => /IMG|SVG/.test(e.tagName.toUpperCase()))); if (e && random() < .7) { e.style.visibility = "hidden"; return "hidden " + e.tagName; }
  const [x, y] = blank(10); const d = document.createElement("div"); d.style.cssText = `position:fixed;left:${x}px;top:${y}px;width:6px;height:6px;border:1.5px solid #777;border-radius:50%;z-index:99999`; document.body.append(d); return `ring ${x},${y}`; }
case "shadow": { const e = pick(boxes((e, s, b) => s.boxShadow !== "none")) ; if (e) { e.style.boxShadow = "none"; return "removed " + e.tagName; }
  const f = pick(boxes((e, s, b) => /block|flex|cell/.test(s.display) && b.height < 200)); if (!f) return null; f.style.boxShadow = "0 1px 3px rgba(0,0,0,.3)"; return "added " + f.tagName; }
case "through": { const p = pick(words(w => /\w\w/.test(w))); if (!p) return null; wrap(p, {textDecoration: "line-through"}); return p.word; }
}
return null;
}
