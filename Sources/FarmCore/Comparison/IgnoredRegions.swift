// What a comparison does not look at: a clock, an avatar, an advertisement. Written in a pipeline
// as boxes, or painted as a mask, which becomes boxes before the pipeline is used.

/// Regions of pictures that never count, under any policy.
package struct IgnoredRegions: Hashable, Sendable, Codable {
    /// In pixels of the picture; may overlap, and may reach beyond it.
    package var boxes: [PixelBox]
    /// A picture beside the pipeline file, by its relative path.
    ///
    /// Nil once `resolveMasks` has turned it into boxes; a mask that nobody resolves ignores
    /// nothing.
    package var mask: String?

    package init(boxes: [PixelBox] = [], mask: String? = nil) {
        self.boxes = boxes
        self.mask = mask
    }

    package var isEmpty: Bool { boxes.isEmpty && mask == nil }

    /// Replaces the mask by the boxes that `boxes` finds in the file of that path.
    package mutating func resolveMask<Failure: Error>(
        _ boxes: (_ path: String) throws(Failure) -> [PixelBox]
    ) throws(Failure) {
        guard let path = mask else { return }
        self.boxes += try boxes(path)
        mask = nil
    }
}

extension ComparisonRules {
    /// Replaces all masks, of the job and of its overrides, by boxes.
    ///
    /// A path that stands in several places is asked for as often.
    package mutating func resolveMasks<Failure: Error>(
        _ boxes: (_ path: String) throws(Failure) -> [PixelBox]
    ) throws(Failure) {
        try ignored.resolveMask(boxes)
        for index in overrides.indices { try overrides[index].ignored.resolveMask(boxes) }
    }
}

extension PixelBox {
    /// The box of `left,top-right,bottom`, whose last column and row belong to it.
    ///
    /// So `0,0-0,0` is one pixel. Nil for anything else, also where the end lies before the start.
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

    /// `left,top-right,bottom`, of which `init(inclusive:)` is the inverse.
    package var inclusiveText: String {
        "\(x),\(y)-\(x + width - 1),\(y + height - 1)"
    }

    /// A coordinate in digits, no larger than a picture can be.
    private static func place(_ text: Substring) -> Int? {
        let digits = text.trimmingPrefix(while: { $0 == " " })
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let value = Int(digits), value < FarmLimits.picturePixelsMax
        else { return nil }
        return value
    }
}
