// Regions that a comparison ignores: a clock, an avatar, an advertisement. A pipeline file names
// them as boxes or as a painted mask; a mask is turned into boxes before the pipeline is used.

/// The regions of a picture, or the parts of a text, that never count in its comparison.
package struct IgnoredRegions: Hashable, Sendable, Codable {
    /// The ignored boxes, in pixels of the picture; they may overlap, and may reach beyond the
    /// picture.
    package var boxes: [PixelBox]
    /// The relative path of a mask (a picture beside the pipeline file), or `nil` if there is none.
    ///
    /// `resolveMasks` turns it into boxes and sets it to `nil`. An unresolved mask ignores nothing.
    package var mask: String?
    /// The ignored parts of texts, or `nil` if there are none, as in plans of older versions.
    package var texts: [IgnoredText]?

    package init(boxes: [PixelBox] = [], mask: String? = nil, texts: [IgnoredText]? = nil) {
        self.boxes = boxes
        self.mask = mask
        self.texts = texts
    }

    package var isEmpty: Bool { boxes.isEmpty && mask == nil && (texts ?? []).isEmpty }

    /// Replaces the mask by the boxes that `boxes` finds in the mask's file.
    package mutating func resolveMask<Failure: Error>(
        _ boxes: (_ path: String) throws(Failure) -> [PixelBox]
    ) throws(Failure) {
        guard let path = mask else { return }
        self.boxes += try boxes(path)
        mask = nil
    }
}

extension ComparisonRules {
    /// Replaces the masks of the job and of all its overrides by boxes.
    ///
    /// `boxes` is called once for each mention of a path, also for repeated ones.
    package mutating func resolveMasks<Failure: Error>(
        _ boxes: (_ path: String) throws(Failure) -> [PixelBox]
    ) throws(Failure) {
        try ignored.resolveMask(boxes)
        for index in overrides.indices { try overrides[index].ignored.resolveMask(boxes) }
    }
}

extension PixelBox {
    /// Reads a box as `left,top-right,bottom`, whose last column and row are inside: `0,0-0,0` is
    /// one pixel.
    ///
    /// Returns `nil` for any other text, and if the end lies before the start.
    package init?(inclusive text: String) {
        let corners = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(Self.place) }
        guard corners.count == 2, corners[0].count == 2, corners[1].count == 2,
            let left = corners[0][0], let top = corners[0][1],
            let right = corners[1][0], let bottom = corners[1][1],
            right >= left, bottom >= top
        else { return nil }
        self.init(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// The box as `left,top-right,bottom`, the form that `init(inclusive:)` reads.
    package var inclusiveText: String {
        "\(x),\(y)-\(x + width - 1),\(y + height - 1)"
    }

    /// Reads a coordinate in decimal digits; returns `nil` for other text and for numbers of
    /// `FarmLimits.picturePixelsMax` or more.
    private static func place(_ text: Substring) -> Int? {
        let digits = text.trimmingPrefix(while: { $0 == " " })
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let value = Int(digits), value < FarmLimits.picturePixelsMax
        else { return nil }
        return value
    }
}
