// Fourth part: a picture in the whole window. It opens fitted to the window, and zooms to the size of
// single pixels, with the value of the pixel under the pointer or the cursor in each picture.
// Reference, capture and difference show the same place, one at a time or beside each other.
{
  const scaleMax = 40, gridMin = 8, smallScaleMax = 4;
  // Of what is open: its regions, the panes, the pixel under the cursor, and the pixel in the upper
  // left corner; what ignores a region, its box, and the pixel at which its drag began.
  let dialog, boxes, region, panes, scale, cursor, corner, ignored, ignoredBox, start;

  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const size = () => ({
    x: Math.max(...panes.map(({ image }) => image.naturalWidth)),
    y: Math.max(...panes.map(({ image }) => image.naturalHeight)),
  });
  const has = (image, { x, y }) => x < image.naturalWidth && y < image.naturalHeight;
  // How many pixels of a picture a pane shows.
  const span = () => {
    const { canvas } = panes.find(({ node }) => !node.hidden);
    return { x: canvas.clientWidth / scale, y: canvas.clientHeight / scale };
  };
  // All of a picture in the window; of a tall one its width, so that it can be read.
  const fitScale = () => {
    const { x, y } = size(), wide = span().x * scale / x, high = span().y * scale / y;
    const fits = y > tallMin * x ? wide : Math.min(wide, high);
    // Small ones are shown larger, without blur.
    return fits < 1 ? fits : Math.min(smallScaleMax, Math.floor(fits));
  };

  // "#RRGGBBAA"; "" outside of the picture; null where the browser does not tell.
  const value = (image) => {
    if (!has(image, cursor)) return "";
    const context = make("canvas", { width: 1, height: 1 }).getContext("2d");
    context.drawImage(image, cursor.x, cursor.y, 1, 1, 0, 0, 1, 1);
    try {
      const bytes = context.getImageData(0, 0, 1, 1).data;
      const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
      return `#${digits.join("")}`.toUpperCase();
    } catch {
      return null;
    }
  };

  const paint = ({ canvas, image }) => {
    const ratio = devicePixelRatio;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = scale < 1;
    context.imageSmoothingQuality = "high";
    // Only what is seen: a picture may be 20,000 pixels high.
    const first = { x: Math.max(0, Math.floor(corner.x)), y: Math.max(0, Math.floor(corner.y)) };
    const count = { x: Math.ceil(span().x) + 2, y: Math.ceil(span().y) + 2 };
    context.translate(-corner.x * scale, -corner.y * scale);
    const wide = Math.min(count.x, image.naturalWidth - first.x);
    const high = Math.min(count.y, image.naturalHeight - first.y);
    if (wide > 0 && high > 0) {
      context.drawImage(image, first.x, first.y, wide, high,
        first.x * scale, first.y * scale, wide * scale, high * scale);
      if (scale >= gridMin) {
        context.strokeStyle = "rgb(128 128 128 / .35)";
        context.lineWidth = 1 / ratio;
        context.beginPath();
        for (let x = 0; x <= wide; x += 1) {
          context.moveTo((first.x + x) * scale, first.y * scale);
          context.lineTo((first.x + x) * scale, (first.y + high) * scale);
        }
        for (let y = 0; y <= high; y += 1) {
          context.moveTo(first.x * scale, (first.y + y) * scale);
          context.lineTo((first.x + wide) * scale, (first.y + y) * scale);
        }
        context.stroke();
      }
    }
    const outline = (x, y, wide, high) => {
      for (const [line, colour] of [[3, "#fff"], [1.5, "#000"]]) {
        context.lineWidth = line;
        context.strokeStyle = colour;
        context.strokeRect(x * scale, y * scale, wide * scale, high * scale);
      }
    };
    if (scale >= gridMin) outline(cursor.x, cursor.y, 1, 1);
    if (region !== null) outline(...boxes[region]);
    if (ignoredBox) {
      const [x, y, wide, high] = ignoredBox.map((number) => number * scale);
      context.fillStyle = "rgb(128 128 128 / .5)";
      context.fillRect(x, y, wide, high);
      outline(...ignoredBox);
    }
  };

  const draw = () => {
    let hidden = false;
    for (const pane of panes.filter(({ node }) => !node.hidden)) {
      paint(pane);
      const text = value(pane.image);
      hidden ||= text === null;
      pane.value.textContent = text === "" ? say("none") : text ?? "";
      pane.swatch.style.background = text || "none";
    }
    one("output", dialog).textContent = `${Math.round(scale * 100)} % · `
      + say("at", cursor.x, cursor.y);
    one(".note", dialog).textContent = hidden ? say("served") : say("zoomHelp");
  };

  const moveTo = (x, y) => {
    cursor = { x: clamp(x, 0, size().x - 1), y: clamp(y, 0, size().y - 1) };
    draw();
  };
  // What is smaller than the window stands in its middle, and nothing else leaves it.
  const settle = () => {
    for (const axis of ["x", "y"]) {
      const spare = span()[axis] - size()[axis];
      corner[axis] = spare > 0 ? -spare / 2 : clamp(corner[axis], 0, -spare);
    }
    draw();
  };
  // Moves the view; where pixels can be told apart, the cursor.
  const step = (x, y) => {
    if (scale < gridMin) {
      const far = .1 * Math.min(span().x, span().y);
      corner = { x: corner.x + x * far, y: corner.y + y * far };
      settle();
      return;
    }
    cursor = { x: clamp(cursor.x + x, 0, size().x - 1), y: clamp(cursor.y + y, 0, size().y - 1) };
    for (const axis of ["x", "y"]) {
      corner[axis] = clamp(corner[axis], cursor[axis] + 2 - span()[axis], cursor[axis] - 1);
    }
    draw();
  };
  // The pixel at the cursor stays where it is.
  const zoomTo = (wanted) => {
    const next = clamp(wanted > 1 ? Math.round(wanted) : wanted, Math.min(1, fitScale()), scaleMax);
    for (const axis of ["x", "y"]) {
      corner[axis] = cursor[axis] - (cursor[axis] - corner[axis]) * scale / next;
    }
    scale = next;
    settle();
  };
  const centre = () => {
    for (const axis of ["x", "y"]) corner[axis] = cursor[axis] + .5 - span()[axis] / 2;
    settle();
  };
  const fitWindow = () => {
    scale = fitScale();
    centre();
  };
  const nextRegion = () => {
    if (!boxes.length) return;
    region = region === null ? 0 : (region + 1) % boxes.length;
    const [x, y, wide, high] = boxes[region];
    cursor = { x: Math.floor(x + wide / 2), y: Math.floor(y + high / 2) };
    centre();
  };
  // One picture, or all beside each other.
  const choose = (kind) => {
    for (const { node, name } of panes) node.hidden = kind !== "all" && name !== kind;
    for (const button of all("[data-pane]", dialog)) {
      press(button, button.dataset.pane === kind);
      if (button.dataset.pane === kind) button.focus();
    }
    fitWindow();
  };

  const pane = (figure) => {
    const image = one("img", figure);
    const canvas = make("canvas", { tabIndex: -1 });
    const swatch = make("i", { className: "swatch" });
    const text = make("code");
    const kind = kindOf(figure);
    const caption = make("figcaption", {}, `${say(kind)} `, swatch, " ", text);
    const node = make("figure", {}, caption, canvas);
    return { node, name: kind, image, canvas, swatch, value: text };
  };
  const pixel = (event) => {
    const box = event.target.getBoundingClientRect();
    return [Math.floor(corner.x + (event.clientX - box.left) / scale),
      Math.floor(corner.y + (event.clientY - box.top) / scale)];
  };
  // Closing brings the focus back; its event comes some frames later.
  const shut = () => {
    dialog.close();
    dialog.remove();
  };
  const onKey = (event) => {
    if (event.target.matches("input")) return;
    const big = event.shiftKey ? 10 : 1;
    const moves = {
      ArrowLeft: [-big, 0], ArrowRight: [big, 0], ArrowUp: [0, -big], ArrowDown: [0, big],
    };
    if (moves[event.key]) step(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") zoomTo(scale * 1.5);
    else if (event.key === "-") zoomTo(scale / 1.5);
    else if (event.key === "0") fitWindow();
    else if (event.key === "1") zoomTo(1);
    else if (event.key === "n") nextRegion();
    else if (event.key === "z") shut();
    else return;
    event.preventDefault();
  };
  const onMove = (event) => {
    if (event.target.localName !== "canvas") return;
    if (ignored && !ignored.form.hidden) {
      moveTo(...pixel(event));
      if (event.type === "pointerdown") start = cursor;
      if (event.buttons & 1) ignored.span(start, cursor);
      return;
    }
    if (event.buttons & 1) {
      corner.x -= event.movementX / scale;
      corner.y -= event.movementY / scale;
      settle();
    }
    moveTo(...pixel(event));
  };

  const open = (stage, kind, at) => {
    const images = all("img", stage).filter((image) => image.naturalWidth);
    if (!images.length) return;
    panes = images.map((image) => pane(image.closest("figure")));
    boxes = boxesOf(stage);
    region = ignoredBox = null;
    ignored = ignoredRegion(stage.closest(".change"), () => boxes[region ?? 0]
      ?? [cursor.x, cursor.y, 1, 1], (box) => {
      ignoredBox = box;
      // The form takes room.
      settle();
    });
    const button = (text, action, properties = {}) =>
      make("button", { type: "button", textContent: text, onclick: action, ...properties });
    const choice = (name, words) => {
      const made = button(words, () => choose(name));
      made.dataset.pane = name;
      return made;
    };
    const choices = panes.length > 1
      ? [...panes.map(({ name }) => choice(name, say(name))), choice("all", say("beside"))] : [];
    dialog = make("dialog", { className: "zoomed", ariaLabel: say("zoom") },
      make("header", {}, ...choices, make("span", { className: "space" }),
        button(say("fit"), fitWindow), button("100 %", () => zoomTo(1)),
        button("−", () => zoomTo(scale / 1.5), { ariaLabel: say("smaller") }),
        button("+", () => zoomTo(scale * 1.5), { ariaLabel: say("larger") }),
        button(say("nextDifference"), nextRegion, { hidden: !boxes.length }),
        ...(ignored ? [ignored.button] : []),
        button(say("close"), shut, { className: "main" })),
      ...(ignored ? [ignored.form] : []),
      make("div", { className: "panes" }, ...panes.map(({ node }) => node)),
      make("footer", {}, make("output"), make("span", { className: "note" })));
    dialog.addEventListener("keydown", onKey);
    dialog.addEventListener("pointermove", onMove);
    dialog.addEventListener("pointerdown", onMove);
    dialog.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoomTo(event.deltaY < 0 ? Math.max(scale * 1.2, Math.min(scale + 1, 2 * scale)) : scale / 1.2);
    }, { passive: false });
    // Esc.
    dialog.addEventListener("close", ({ target }) => target.remove());
    document.body.append(dialog);
    dialog.showModal();
    scale = 1;
    corner = { x: 0, y: 0 };
    cursor = { x: clamp(at.x, 0, size().x - 1), y: clamp(at.y, 0, size().y - 1) };
    choose(panes.some(({ name }) => name === kind) ? kind : panes[0].name);
    new ResizeObserver(settle).observe(dialog);
  };

  // Where something differs, or the middle; of a tall picture, of the part that is shown.
  const interesting = (stage) => {
    const image = one("img", stage), box = boxesOf(stage)[0];
    const { naturalWidth: width = 0, naturalHeight: height = 0 } = image ?? {};
    if (stage.matches(".tall")) {
      const top = Number(stage.style.getPropertyValue("--top"));
      return { x: Math.floor(width / 2), y: Math.floor(top + partHeight(stage) / 2) };
    }
    if (box) return { x: Math.floor(box[0] + box[2] / 2), y: Math.floor(box[1] + box[3] / 2) };
    return { x: Math.floor(width / 2), y: Math.floor(height / 2) };
  };
  const kindOf = (node) => ["reference", "current", "diff"]
    .find((name) => node.closest("figure")?.classList.contains(name)) ?? "current";
  document.addEventListener("click", (event) => {
    const stage = event.target.closest(".stage");
    if (!stage) return;
    if (event.target.matches(".zoom")) {
      open(stage, kindOf(event.target), interesting(stage));
    } else if (event.target.matches(".frame img") && main.dataset.mode === "side") {
      const share = event.target.naturalWidth / event.target.clientWidth;
      open(stage, kindOf(event.target),
        { x: Math.floor(event.offsetX * share), y: Math.floor(event.offsetY * share) });
    }
  });
  keys.z = () => {
    const stage = current() && one(".stage", current());
    if (stage) open(stage, "current", interesting(stage));
  };
}
