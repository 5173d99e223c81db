// Regions that a comparison ignores: a clock, an avatar, an advertisement. A pipeline file names
// them as boxes or as a painted mask; a mask is turned into boxes before the pipeline is used.

/// Regions of pictures that never count, under any policy.
package struct IgnoredRegions: Hashable, Sendable, Codable {
    /// Boxes in pixels of the picture; they may overlap, and may reach beyond it.
    package var boxes: [PixelBox]
    /// The relative path of a mask, which is a picture beside the pipeline file.
    ///
    /// `resolveMasks` turns it into boxes and sets it to `nil`. An unresolved mask ignores nothing.
    package var mask: String?

    package init(boxes: [PixelBox] = [], mask: String? = nil) {
        self.boxes = boxes
        self.mask = mask
    }

    package var isEmpty: Bool { boxes.isEmpty && mask == nil }

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
    /// Reads a box as `left,top-right,bottom`; its last column and row belong to it, so `0,0-0,0`
    /// is one pixel.
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

    /// Reads a coordinate in digits; returns `nil` for other text and for numbers from
    /// `FarmLimits.picturePixelsMax` on.
    private static func place(_ text: Substring) -> Int? {
        let digits = text.trimmingPrefix(while: { $0 == " " })
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let value = Int(digits), value < FarmLimits.picturePixelsMax
        else { return nil }
        return value
    }
}
