/// The rules for declared MIME types: the bytes that a file must begin with, and how the file is served.
///
/// A file that browsers would display as an image, play, or open as a PDF must have that format, so that no user is served
/// anything else under such a type. Types that browsers execute (HTML, SVG, XML, scripts) need no signature, since files are
/// never served under them.
package enum MediaType {
    /// The type of files of unknown format.
    package static let binary = "application/octet-stream"

    /// The length of the prefix that `agrees` needs, in bytes.
    package static let prefixBytes = 64

    /// The types that a browser may display inside a page. All other files are served as downloads without a type.
    package static let shown: Set = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "video/ogg",
        "video/quicktime", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/webm", "audio/wav", "audio/flac", "audio/aac",
    ]

    /// Returns the stored form of a declared type: lower case, without parameters. The types of parts that are not files become `binary`.
    /// - Returns: `nil` if the text is not a MIME type.
    package static func normalized(_ declared: String) -> String? {
        let type = declared.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        if type.isEmpty || type == MessagePart.textType || type == MessagePart.geoType { return binary }
        return MediaPart.isMediaType(type) ? type : nil
    }

    /// Whether a browser may display files of this type inside a page.
    package static func isShown(_ type: String) -> Bool { shown.contains(type) }

    /// Whether the bytes at the beginning of a file match its type.
    package static func agrees(_ type: String, with prefix: ArraySlice<UInt8>) -> Bool {
        let header = HeaderBytes(prefix)
        switch type {
        case "image/svg+xml": return true
        case "image/png": return header.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0)
        case "image/jpeg": return header.has([0xFF, 0xD8, 0xFF], at: 0)
        case "image/gif": return header.has("GIF87a", at: 0) || header.has("GIF89a", at: 0)
        case "image/webp": return header.has("RIFF", at: 0) && header.has("WEBP", at: 8)
        case "image/avif", "image/heic", "image/heif": return hasBrand(imageBrands, header)
        case "image/bmp": return header.has("BM", at: 0)
        case "image/tiff": return header.has([0x49, 0x49, 0x2A, 0], at: 0) || header.has([0x4D, 0x4D, 0, 0x2A], at: 0)
        case "application/pdf": return header.has("%PDF-", at: 0)
        case "video/mp4", "video/3gpp", "audio/mp4", "audio/x-m4a", "audio/3gpp":
            return header.has("ftyp", at: 4) && !hasBrand(imageBrands, header)
        case "video/quicktime":
            return quickTimeAtoms.contains { header.has($0, at: 4) }
                && !hasBrand(imageBrands, header)
        case "video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska":
            return header.has([0x1A, 0x45, 0xDF, 0xA3], at: 0)
        case "video/ogg", "audio/ogg", "audio/opus": return header.has("OggS", at: 0)
        case "video/mpeg": return header.has([0, 0, 1, 0xBA], at: 0) || header.has([0, 0, 1, 0xB3], at: 0)
        case "video/x-msvideo": return header.has("RIFF", at: 0) && header.has("AVI ", at: 8)
        case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
            return header.has("RIFF", at: 0) && header.has("WAVE", at: 8)
        case "audio/mpeg", "audio/mp3", "audio/aac": return header.has("ID3", at: 0) || hasFrameSync(header)
        case "audio/flac", "audio/x-flac": return header.has("fLaC", at: 0)
        case "audio/aiff", "audio/x-aiff": return header.has("FORM", at: 0) && header.has("AIF", at: 8)
        case "audio/amr": return header.has("#!AMR", at: 0)
        default:
            // A file of an unknown format is not displayed or played; it can be sent as `binary`.
            return !["image/", "video/", "audio/"].contains { type.hasPrefix($0) }
        }
    }

    private static let quickTimeAtoms: [StaticString] = ["ftyp", "moov", "mdat", "wide", "free", "skip"]
    private static let imageBrands: [StaticString] = [
        "avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1",
    ]

    /// Whether an ISO base media file has one of these major brands.
    private static func hasBrand(_ brands: [StaticString], _ header: HeaderBytes) -> Bool {
        header.has("ftyp", at: 4) && brands.contains { header.has($0, at: 8) }
    }

    /// Whether the first eleven bits are ones, as in a frame of MPEG audio or ADTS.
    private static func hasFrameSync(_ header: HeaderBytes) -> Bool {
        header.byte(at: 0) == 0xFF && header.byte(at: 1).map { $0 & 0xE0 == 0xE0 } == true
    }
}
