import ParleyJSON
import ParleyMessaging
import ParleyModel

extension JSONTree {
    init(_ attachment: Attachment) {
        var members: [(String, JSONTree)] = [
            ("id", .text(attachment.id.text)), ("url", .text(attachment.path)), ("name", .text(attachment.name)),
            ("type", .text(attachment.type)), ("size", .integer(attachment.size)),
            ("offset", .integer(attachment.received)), ("complete", .bool(attachment.isComplete)),
        ]
        if let sum = attachment.sha256 { members.append(("sha256", .text(sum))) }
        if let dimensions = attachment.dimensions {
            members += [("width", .integer(dimensions.width)), ("height", .integer(dimensions.height))]
        }
        self = .ordered(members)
    }

    /// Makes the object with a user's upload limits and usage. A limit of 0 becomes `null`.
    init(_ settings: AttachmentSettings, _ usage: AttachmentUsage) {
        let limit = { (number: Int64) in number == 0 ? JSONTree.null : .integer(number) }
        self = .ordered([
            ("max_bytes", .integer(settings.maximumBytes)),
            ("types", .array(settings.types.patterns.map { .text($0) })),
            ("used_bytes", .integer(usage.bytes)), ("quota_bytes", limit(settings.quota.bytes)),
            ("used_files", .integer(usage.files)), ("quota_files", limit(settings.quota.files)),
        ])
    }
}
