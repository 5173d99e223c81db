// Why a picture in a rounded frame was drawn in two ways. Chromium leaves out what is behind an opaque
// `<img>`, but learns that it is opaque when a raster thread has decoded it, and looks again only when
// the picture's style changes. Whether the frame's own background shines through the edges of its
// corners (8 steps of 255) depended on which came first: the paint or the decoding.

/// The part of a page's script that makes it draw what is behind its pictures at all times.
enum PictureEdges {
    /// Leaves the position of each picture what it was, but as a sum.
    ///
    /// Chromium takes a sum for a position that may leave a part of the frame empty, and so leaves
    /// nothing out.
    static let script = """
          for (const image of scopes().flatMap(({root}) => [...root.querySelectorAll("img")])) {
            if (getComputedStyle(image).objectPosition !== "50% 50%") continue;
            image.style.objectPosition = "calc(50% + 0px) 50%";
          }
        """
}
