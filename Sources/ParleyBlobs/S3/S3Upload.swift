import ParleyModel

/// What must be remembered of an unfinished upload to S3: the multipart upload, and the tags of its parts.
///
/// All parts but the last have the same size, as some storages require. What does not fill a part yet is an object of
/// its own, whose key has the number of bytes received: no request overwrites what a row refers to.
struct S3Upload: Hashable, Sendable {
    /// S3 allows no smaller part but the last, and no more parts.
    private static let (minimumPart, maximumParts): (Int64, Int64) = (8_388_608, 10_000)

    /// `nil` until the first part is complete.
    var id: String?
    var tags: [String] = []

    init() {}

    /// - Parameter text: `Attachment.upload`.
    init(_ text: String?) {
        let lines = text?.split(separator: "\n").map(String.init) ?? []
        id = lines.first
        tags = Array(lines.dropFirst())
    }

    var text: String? { id.map { ([$0] + tags).joined(separator: "\n") } }

    /// The size of all parts but the last.
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
