/// The width and height of an image, read from the header of an untrusted file.
///
/// Only the header is parsed, in one pass over a bounded prefix; pixels are never decoded. The supported formats are PNG, JPEG,
/// GIF and WebP. JPEG stores the size after the camera's metadata, so the prefix should have `prefixBytes`.
package struct ImageDimensions: Hashable, Sendable {
    /// The width in pixels, 1 to `maximum`.
    package let width: Int64
    package let height: Int64

    /// The useful length of the prefix, in bytes.
    package static let prefixBytes = 262_144
    /// The largest accepted width or height. The formats can express up to 2^31 - 1, but no camera makes such images.
    package static let maximum: Int64 = 1_000_000

    package init(width: Int64, height: Int64) {
        self.width = width
        self.height = height
    }

    /// - Returns: `nil` if the file has none of these formats, or its header is damaged or incomplete.
    package init?(prefix bytes: ArraySlice<UInt8>) {
        let header = HeaderBytes(bytes)
        guard let size = Self.png(header) ?? Self.gif(header) ?? Self.webP(header) ?? Self.jpeg(header),
            (1...Self.maximum).contains(size.width), (1...Self.maximum).contains(size.height)
        else { return nil }
        self = size
    }

    /// PNG §11.2.1: the chunk IHDR comes first.
    private static func png(_ header: HeaderBytes) -> ImageDimensions? {
        guard header.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), header.has("IHDR", at: 12),
            let width = header.bigEndian(at: 16, bytes: 4), let height = header.bigEndian(at: 20, bytes: 4)
        else { return nil }
        return ImageDimensions(width: width, height: height)
    }

    /// GIF89a §18: the logical screen.
    private static func gif(_ header: HeaderBytes) -> ImageDimensions? {
        guard header.has("GIF87a", at: 0) || header.has("GIF89a", at: 0),
            let width = header.littleEndian(at: 6, bytes: 2), let height = header.littleEndian(at: 8, bytes: 2)
        else { return nil }
        return ImageDimensions(width: width, height: height)
    }

    /// RFC 9649: lossy (`VP8 `), lossless (`VP8L`) and extended (`VP8X`).
    private static func webP(_ header: HeaderBytes) -> ImageDimensions? {
        guard header.has("RIFF", at: 0), header.has("WEBP", at: 8) else { return nil }
        if header.has("VP8X", at: 12) {
            guard let width = header.littleEndian(at: 24, bytes: 3), let height = header.littleEndian(at: 27, bytes: 3)
            else { return nil }
            return ImageDimensions(width: width + 1, height: height + 1)
        }
        if header.has("VP8L", at: 12) {
            guard header.has([0x2F], at: 20), let bits = header.littleEndian(at: 21, bytes: 4) else { return nil }
            return ImageDimensions(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
        guard header.has("VP8 ", at: 12), header.has([0x9D, 0x01, 0x2A], at: 23),
            let width = header.littleEndian(at: 26, bytes: 2), let height = header.littleEndian(at: 28, bytes: 2)
        else { return nil }
        return ImageDimensions(width: width & 0x3FFF, height: height & 0x3FFF)
    }

    /// ITU T.81 §B: segments with a length, until a frame header (SOF).
    private static func jpeg(_ header: HeaderBytes) -> ImageDimensions? {
        guard header.has([0xFF, 0xD8], at: 0) else { return nil }
        var place = 2
        while let marker = header.byte(at: place + 1), header.byte(at: place) == 0xFF {
            switch marker {
            case 0xFF:
                // A fill byte.
                place += 1
            case 0x01, 0xD0...0xD7:
                place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = header.bigEndian(at: place + 5, bytes: 2),
                    let width = header.bigEndian(at: place + 7, bytes: 2)
                else { return nil }
                return ImageDimensions(width: width, height: height)
            case 0xD8, 0xD9, 0xDA:
                // The image data begins, or the image ends, without a frame header.
                return nil
            default:
                guard let length = header.bigEndian(at: place + 2, bytes: 2), length >= 2 else { return nil }
                place += 2 + Int(length)
            }
        }
        return nil
    }
}

/// The bytes of a header, read by offset. Bytes outside the prefix are `nil`.
struct HeaderBytes {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    func byte(at offset: Int) -> UInt8? {
        offset < bytes.count ? bytes[bytes.startIndex + offset] : nil
    }

    func has(_ expected: [UInt8], at offset: Int) -> Bool {
        offset + expected.count <= bytes.count && bytes.dropFirst(offset).starts(with: expected)
    }

    func has(_ text: StaticString, at offset: Int) -> Bool {
        has(Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)), at: offset)
    }

    func bigEndian(at offset: Int, bytes count: Int) -> Int64? {
        number(bytes.dropFirst(offset).prefix(count), count)
    }

    func littleEndian(at offset: Int, bytes count: Int) -> Int64? {
        number(bytes.dropFirst(offset).prefix(count).reversed(), count)
    }

    private func number(_ bytes: some Collection<UInt8>, _ count: Int) -> Int64? {
        bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int64($1) } : nil
    }
}
