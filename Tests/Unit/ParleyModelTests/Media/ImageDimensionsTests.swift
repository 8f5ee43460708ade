import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Dimensions of images")
struct ImageDimensionsTests {
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 3, 32, 0, 0, 2, 88]
    static let gif: [UInt8] = Array("GIF89a".utf8) + [0x20, 0x03, 0x58, 0x02]
    private static let riff = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8)
    static let webPs: [[UInt8]] = [
        riff + Array("VP8 ".utf8) + [0, 0, 0, 0, 1, 2, 3, 0x9D, 0x01, 0x2A, 0x20, 0x03, 0x58, 0x02],
        riff + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2F, 0x1F, 0xC3, 0x95, 0x00],
        riff + Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0x1F, 0x03, 0, 0x57, 0x02, 0],
    ]
    /// With metadata, a fill byte and a table before the frame header.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 1, 2, 3, 4, 0xFF, 0xFF, 0xDB, 0, 3, 9]
        + [0xFF, 0xC2, 0, 17, 8, 0x02, 0x58, 0x03, 0x20, 3]

    @Test("are read from the header of each format", arguments: [png, gif, jpeg] + webPs)
    func known(header: [UInt8]) {
        #expect(ImageDimensions(prefix: header[...]) == ImageDimensions(width: 800, height: 600))
        #expect(ImageDimensions(prefix: ([0] + header)[1...]) == ImageDimensions(width: 800, height: 600))
    }

    @Test(
        "are unknown for every shorter prefix, and never those of another image", arguments: [png, gif, jpeg] + webPs)
    func cut(header: [UInt8]) {
        let needed = (0...header.count).first { ImageDimensions(prefix: header[..<$0]) != nil } ?? .max
        #expect(needed >= header.count - 1)
        for count in needed...header.count {
            #expect(ImageDimensions(prefix: header[..<count]) == ImageDimensions(width: 800, height: 600))
        }
    }

    @Test("of zero or a billion pixels are not believed")
    func absurd() {
        #expect(ImageDimensions(prefix: (Self.png.dropLast(8) + [0, 0, 0, 0, 0, 0, 0, 1])[...]) == nil)
        #expect(ImageDimensions(prefix: (Self.png.dropLast(8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1])[...]) == nil)
        #expect(ImageDimensions(prefix: [0xFF, 0xD8, 0xFF, 0xE1, 0, 1][...]) == nil)
        #expect(ImageDimensions(prefix: [0xFF, 0xD8, 0xFF, 0xDA, 0, 1][...]) == nil)
    }

    @Test("damaged headers are survived")
    func damaged() {
        var random = SeededGenerator(7)
        for header in [Self.png, Self.gif, Self.jpeg] + Self.webPs {
            for _ in 0..<2000 {
                var bytes = header
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                if let size = ImageDimensions(prefix: bytes[...]) {
                    #expect((1...ImageDimensions.maximum).contains(size.width))
                    #expect((1...ImageDimensions.maximum).contains(size.height))
                }
            }
        }
    }
}

@Suite("Types of files")
struct MediaTypeTests {
    @Test(
        "are stored in lower case without parameters; those of other parts, and none, are binary",
        arguments: [
            ("image/PNG", "image/png"), ("text/html; charset=utf-8", "text/html"), ("", "application/octet-stream"),
            ("text/plain", "application/octet-stream"), ("application/geo+json", "application/octet-stream"),
            ("image", nil), ("a b/c\u{1F600}", nil), ("image/*/x", nil),
        ])
    func normalized(declared: String, type: String?) {
        #expect(MediaType.normalized(declared) == type)
    }

    @Test("must be those of the file where browsers show it")
    func agreement() {
        #expect(MediaType.agrees("image/png", with: ImageDimensionsTests.png[...]))
        #expect(MediaType.agrees("image/jpeg", with: ImageDimensionsTests.jpeg[...]))
        #expect(MediaType.agrees("image/webp", with: ImageDimensionsTests.webPs[0][...]))
        #expect(!MediaType.agrees("image/png", with: ImageDimensionsTests.jpeg[...]))
        let page = Array("<html><script>alert(1)</script>".utf8)
        for type in ["image/png", "image/gif", "video/mp4", "audio/mpeg", "application/pdf", "image/x-new", "video/x"] {
            #expect(!MediaType.agrees(type, with: page[...]), "\(type)")
            #expect(!MediaType.agrees(type, with: []), "\(type)")
        }
        for type in ["text/html", "application/octet-stream", "image/svg+xml", "application/zip"] {
            #expect(MediaType.agrees(type, with: page[...]), "\(type)")
        }
        let film = [0, 0, 0, 24] + Array("ftypisom".utf8)
        #expect(MediaType.agrees("video/mp4", with: film[...]))
        #expect(!MediaType.agrees("image/heic", with: film[...]))
    }

    @Test(
        "that browsers run are never shown",
        arguments: [
            "text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "text/javascript", "application/pdf",
            "application/octet-stream",
        ])
    func downloads(type: String) {
        #expect(!MediaType.isShown(type))
    }
}
