// Small PNG files of every kind, most of them valid. Header, chunks and stream are made one by one,
// and each may be slightly wrong while its checksum is right.

enum PNGMaker {
    static func file(_ mutator: inout Mutator) -> [UInt8] {
        let width = 1 + mutator.below(12)
        let height = 1 + mutator.below(12)
        let (type, depth) = mutator.pick(
            [
                (6, 8), (6, 8), (2, 8), (2, 8), (0, 1), (0, 4), (0, 8), (3, 2), (3, 8), (4, 8),
                (6, 16),
            ]
                as [(UInt8, UInt8)]
        )
        let isInterlaced = mutator.once(in: 5)
        var head = big32(width) + big32(height) + [depth, type, 0, 0, isInterlaced ? 1 : 0]
        if mutator.once(in: 10) {
            head[mutator.below(head.count)] = mutator.pick([0, 1, 2, 7, 0x7F, 0xFF] as [UInt8])
        }
        var chunks: [(String, [UInt8])] = [("IHDR", head)]
        if type == 3 {
            chunks.append(("PLTE", (0..<12).map { _ in UInt8(mutator.below(256)) }))
        }
        for _ in 0..<mutator.below(3) {
            let name = mutator.pick([
                "gAMA", "sRGB", "tRNS", "tEXt", "iCCP", "pHYs", "abCd", "PLTE",
            ])
            chunks.append((name, (0..<mutator.below(20)).map { _ in UInt8(mutator.below(256)) }))
        }
        var data = zlib(stream(width, height, type, depth, isInterlaced, &mutator), &mutator)
        while mutator.once(in: 3), data.count > 1 {
            let part = 1 + mutator.below(data.count - 1)
            chunks.append(("IDAT", Array(data.prefix(part))))
            data.removeFirst(part)
        }
        chunks += [("IDAT", data), ("IEND", [])]
        if mutator.once(in: 12) { chunks.swapAt(mutator.below(chunks.count), chunks.count / 2) }
        if mutator.once(in: 12) { chunks.append(mutator.pick(chunks)) }
        let file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return mutator.damaged(chunks.reduce(file) { $0 + chunk($1.0, $1.1) })
    }

    /// Returns rows with their filters, sometimes a few bytes too many or too few.
    private static func stream(
        _ width: Int,
        _ height: Int,
        _ type: UInt8,
        _ depth: UInt8,
        _ isInterlaced: Bool,
        _ mutator: inout Mutator
    ) -> [UInt8] {
        let bits = [1, 0, 3, 1, 2, 0, 4][Int(type)] * Int(depth)
        let passes =
            isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                (0, 1, 1, 2),
            ] : [(0, 0, 1, 1)]
        var out: [UInt8] = []
        for (left, top, right, down) in passes {
            let columns = (width - left + right - 1) / right
            let rows = (height - top + down - 1) / down
            guard columns > 0, rows > 0 else { continue }
            for _ in 0..<rows {
                out.append(UInt8(mutator.once(in: 300) ? 9 : mutator.below(5)))
                out += (0..<(columns * bits + 7) / 8).map { _ in UInt8(mutator.below(256)) }
            }
        }
        if mutator.once(in: 8) { out += [UInt8](repeating: 0, count: 1 + mutator.below(70_000)) }
        if mutator.once(in: 8) { out.removeLast(mutator.below(out.count)) }
        return out
    }

    /// Returns a zlib stream of stored blocks.
    private static func zlib(_ bytes: [UInt8], _ mutator: inout Mutator) -> [UInt8] {
        var out: [UInt8] = [mutator.once(in: 20) ? 0x08 : 0x78, 0x01]
        if out[0] == 0x08 { out[1] = 0x1D }
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            let size = UInt16(part.count)
            out += [rest.isEmpty ? 1 : 0, UInt8(size & 255), UInt8(size >> 8)]
            out += [UInt8(~size & 255), UInt8(~size >> 8)] + part
        } while !rest.isEmpty
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        let sum = Int(sums.1 << 16 | sums.0)
        return out + big32(mutator.once(in: 20) ? sum ^ 1 : sum)
    }

    private static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + bytes
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in body { sum = sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 255)] }
        return big32(bytes.count) + body + big32(Int(~sum))
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private static func big32(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
