// Third part: pictures at the size of single pixels, reference and capture at the same place, with
// the value of the pixel under the pointer or the cursor in each.
{
  const scaleMin = 1, scaleMax = 40, gridMin = 8;
  // Of what is open: the panes, the pixel under the cursor, and the pixel in the upper left corner.
  let dialog, panes, scale, cursor, corner;

  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const width = () => Math.max(...panes.map(({ image }) => image.naturalWidth));
  const height = () => Math.max(...panes.map(({ image }) => image.naturalHeight));
  const has = (image, { x, y }) => x < image.naturalWidth && y < image.naturalHeight;
  // How many pixels of a picture a pane shows.
  const span = () => {
    const { canvas } = panes[0];
    return { x: canvas.clientWidth / scale, y: canvas.clientHeight / scale };
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
    context.imageSmoothingEnabled = false;
    // Only what is seen: a picture may be 20,000 pixels high.
    const first = { x: Math.floor(corner.x), y: Math.floor(corner.y) };
    const count = { x: Math.ceil(span().x) + 1, y: Math.ceil(span().y) + 1 };
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
    context.lineWidth = 3;
    context.strokeStyle = "#fff";
    context.strokeRect(cursor.x * scale, cursor.y * scale, scale, scale);
    context.lineWidth = 1.5;
    context.strokeStyle = "#000";
    context.strokeRect(cursor.x * scale, cursor.y * scale, scale, scale);
  };

  const draw = () => {
    let hidden = false;
    for (const pane of panes) {
      paint(pane);
      const text = value(pane.image);
      hidden ||= text === null;
      pane.value.textContent = text === "" ? say("none") : text ?? "";
      pane.swatch.style.background = text || "none";
    }
    one("output", dialog).textContent = say("at", cursor.x, cursor.y);
    one(".note", dialog).textContent = hidden ? say("served") : say("zoomHelp");
  };

  const moveTo = (x, y) => {
    cursor = { x: clamp(x, 0, width() - 1), y: clamp(y, 0, height() - 1) };
    draw();
  };
  const step = (x, y) => {
    cursor = { x: clamp(cursor.x + x, 0, width() - 1), y: clamp(cursor.y + y, 0, height() - 1) };
    for (const axis of ["x", "y"]) {
      corner[axis] = clamp(corner[axis], cursor[axis] + 2 - span()[axis], cursor[axis] - 1);
    }
    draw();
  };
  // The pixel at the cursor stays where it is.
  const zoomTo = (wanted) => {
    const next = clamp(Math.round(wanted), scaleMin, scaleMax);
    for (const axis of ["x", "y"]) {
      corner[axis] = cursor[axis] - (cursor[axis] - corner[axis]) * scale / next;
    }
    scale = next;
    draw();
  };
  const centre = () => {
    for (const axis of ["x", "y"]) corner[axis] = cursor[axis] + .5 - span()[axis] / 2;
    draw();
  };

  const pane = (figure) => {
    const image = one("img", figure);
    const canvas = make("canvas", { tabIndex: -1 });
    const swatch = make("i", { className: "swatch" });
    const text = make("code");
    const kind = ["reference", "current", "diff"].find((name) => figure.classList.contains(name));
    const caption = make("figcaption", {}, `${say(kind)} `, swatch, " ", text);
    const node = make("figure", {}, caption, canvas);
    return { node, image, canvas, swatch, value: text };
  };
  const pixel = (event) => {
    const box = event.target.getBoundingClientRect();
    return [Math.floor(corner.x + (event.clientX - box.left) / scale),
      Math.floor(corner.y + (event.clientY - box.top) / scale)];
  };
  const onKey = (event) => {
    const big = event.shiftKey ? 10 : 1;
    const moves = {
      ArrowLeft: [-big, 0], ArrowRight: [big, 0], ArrowUp: [0, -big], ArrowDown: [0, big],
    };
    if (moves[event.key]) step(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") zoomTo(scale * 1.5);
    else if (event.key === "-") zoomTo(scale / 1.5);
    else if (event.key === "z") dialog.close();
    else return;
    event.preventDefault();
  };
  const onMove = (event) => {
    if (event.target.localName !== "canvas") return;
    if (event.buttons & 1) {
      corner.x -= event.movementX / scale;
      corner.y -= event.movementY / scale;
    }
    moveTo(...pixel(event));
  };

  const open = (stage, at) => {
    const images = all("img", stage).filter((image) => image.naturalWidth);
    if (!images.length) return;
    panes = images.map((image) => pane(image.closest("figure")));
    const button = (text, label, action) =>
      make("button", { type: "button", textContent: text, ariaLabel: label, onclick: action });
    dialog = make("dialog", { className: "zoomed", ariaLabel: say("zoom") },
      make("header", {}, make("output"), make("span", { className: "note" }),
        button("−", "−", () => zoomTo(scale / 1.5)), button("+", "+", () => zoomTo(scale * 1.5)),
        button(say("close"), say("close"), () => dialog.close())),
      make("div", { className: "panes" }, ...panes.map(({ node }) => node)));
    dialog.addEventListener("keydown", onKey);
    dialog.addEventListener("pointermove", onMove);
    dialog.addEventListener("pointerdown", onMove);
    dialog.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoomTo(event.deltaY < 0 ? Math.max(scale + 1, scale * 1.2) : scale / 1.2);
    }, { passive: false });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    scale = 12;
    corner = { x: 0, y: 0 };
    cursor = { x: clamp(at.x, 0, width() - 1), y: clamp(at.y, 0, height() - 1) };
    new ResizeObserver(draw).observe(dialog);
    centre();
  };

  // Where something differs, or the middle.
  const interesting = (stage) => {
    const box = stage.dataset.b?.split(";")[0].split(",").map(Number);
    if (box) return { x: Math.floor(box[0] + box[2] / 2), y: Math.floor(box[1] + box[3] / 2) };
    const image = one("img", stage);
    const { naturalWidth = 0, naturalHeight = 0 } = image ?? {};
    return { x: Math.floor(naturalWidth / 2), y: Math.floor(naturalHeight / 2) };
  };
  document.addEventListener("click", (event) => {
    const stage = event.target.closest(".stage");
    if (!stage) return;
    if (event.target.matches(".zoom")) {
      open(stage, interesting(stage));
    } else if (event.target.matches(".frame img") && main.dataset.mode === "side") {
      const share = event.target.naturalWidth / event.target.clientWidth;
      open(stage, { x: Math.floor(event.offsetX * share), y: Math.floor(event.offsetY * share) });
    }
  });
  keys.z = () => {
    const stage = current() && one(".stage", current());
    if (stage) open(stage, interesting(stage));
  };
}
