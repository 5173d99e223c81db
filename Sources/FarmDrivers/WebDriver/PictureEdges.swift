// Makes Chromium draw a picture in a rounded frame the same way each time. Chromium leaves out what
// is behind an opaque `<img>`. But it learns that the picture is opaque only when a raster thread
// has decoded it, and checks again only when the picture's style changes. So it depended on which
// came first, the paint or the decoding, whether the frame's own background shone through the edges
// of its corners (8 steps of 255).

/// The part of a page's script that makes Chromium draw what is behind pictures at all times.
enum PictureEdges {
    /// A script that keeps the position of each picture, but writes it as a sum.
    ///
    /// Chromium assumes that a sum may leave a part of the frame empty, and so leaves nothing out.
    static let script = """
          for (const image of scopes().flatMap(({root}) => [...root.querySelectorAll("img")])) {
            if (getComputedStyle(image).objectPosition !== "50% 50%") continue;
            image.style.objectPosition = "calc(50% + 0px) 50%";
          }
        """
}
