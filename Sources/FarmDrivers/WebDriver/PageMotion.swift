// Finds the region that differs between two captures of one page, and the element there. The
// browser decodes the captures, because FarmDrivers decodes no pictures.
import FarmCore

/// The region that differs between two captures, in pixels; its width is 0 if there is none.
struct MotionReport: Decodable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    /// The element in the region, such as `<div id="total" class="price">`, or `nil` if there is
    /// none.
    var element: String?
}

enum PageMotion {
    /// The largest difference of a channel, of 255, that two drawings of the same content may have.
    private static let noiseMax = 16

    /// Returns the script that compares two captures, both in base64.
    ///
    /// `origin` is the page's point in the captures' corner, `scale` the pixels per point.
    static func text(
        _ first: String,
        _ second: String,
        origin: (x: Double, y: Double),
        scale: Double
    ) -> String {
        """
        (async () => {
          const decode = async (text) => {
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
            const drawing = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
            drawing.drawImage(picture, 0, 0);
            return drawing.getImageData(0, 0, picture.width, picture.height);
          };
          const [one, other] = [await decode("\(first)"), await decode("\(second)")];
          let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
          for (let i = 0; i < Math.min(one.data.length, other.data.length); i++) {
            if (Math.abs(one.data[i] - other.data[i]) <= \(noiseMax)) continue;
            const x = (i >> 2) % one.width, y = Math.floor((i >> 2) / one.width);
            [left, top] = [Math.min(left, x), Math.min(top, y)];
            [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
          }
          if (right < 0) return {x: 0, y: 0, width: 0, height: 0};
          const middle = {x: \(origin.x) + (left + right + 1) / 2 / \(scale),
            y: \(origin.y) + (top + bottom + 1) / 2 / \(scale)};
          if (middle.y < scrollY || middle.y >= scrollY + innerHeight) scrollTo(0, middle.y);
          let item = document.elementFromPoint(middle.x - scrollX, middle.y - scrollY);
          for (let depth = 0; item?.shadowRoot && depth < 100; depth++) {
            const inner = item.shadowRoot.elementFromPoint(middle.x - scrollX, middle.y - scrollY);
            if (!inner || inner === item) break;
            item = inner;
          }
          \(PageStillness.naming)
          return {x: left, y: top, width: right - left + 1, height: bottom - top + 1,
            element: item ? named(item) : null};
        })()
        """
    }
}
