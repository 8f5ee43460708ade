import ParleyModel

/// The state of an unfinished upload to S3: the multipart upload and the tags of its parts.
///
/// All parts except the last have the same size, as some storages require. Bytes that do not fill a part yet are stored
/// as a separate object, whose key contains the number of bytes received. No request overwrites an object that a row
/// refers to.
struct S3Upload: Hashable, Sendable {
    /// S3 requires at least 5 MiB for each part except the last, and allows at most 10,000 parts. The minimum here is
    /// 8 MiB.
    private static let (minimumPart, maximumParts): (Int64, Int64) = (8_388_608, 10_000)

    /// The ID of the multipart upload; `nil` until the first part is complete.
    var id: String?
    var tags: [String] = []

    /// - Parameter text: `Attachment.upload`.
    init(_ text: String?) {
        let lines = text?.split(separator: "\n").map(String.init) ?? []
        id = lines.first
        tags = Array(lines.dropFirst())
    }

    var text: String? { id.map { ([$0] + tags).joined(separator: "\n") } }

    /// Returns the size of all parts except the last.
    static func partSize(of attachment: Attachment) -> Int64 {
        max(minimumPart, (attachment.size + maximumParts - 1) / maximumParts)
    }

    static func key(of attachment: Attachment) -> String { "attachments/\(attachment.id)" }
    static func tails(of attachment: Attachment) -> String { "uploads/\(attachment.id)/" }
    static func tail(of attachment: Attachment, received: Int64) -> String { "\(tails(of: attachment))\(received)" }

    /// The body that completes a multipart upload.
    var completion: [UInt8] {
        let parts = tags.enumerated().map {
            "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\(XMLText.escaped($0.element))</ETag></Part>"
        }
        return Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
    }
}
