package import ParleyModel

/// An entry that is set aside, and what it is about, so that its text can be taken away as that of a stored one.
package struct RejectedEntry: Hashable, Sendable {
    package let offset: String
    package let reason: String
    package let bytes: [UInt8]
    package let thread: String?
    /// Who said or did it.
    package let user: String?
    package let message: String?

    /// What could not even be read.
    package init(offset: String, reason: String, bytes: [UInt8]) {
        self.offset = offset
        self.reason = reason
        self.bytes = bytes
        thread = nil
        user = nil
        message = nil
    }

    /// - Parameter isErased: whether a user is erased; nothing of theirs is kept.
    package init(
        offset: String, reason: String, _ event: LogEvent, isErased: (UserID) throws -> Bool
    ) rethrows {
        let fields = EventFields(event.body)
        let author = event.message?.sender.id ?? fields?.by ?? fields?.user
        let isOfErased = try author.map(isErased) ?? false
        self.offset = offset
        self.reason = reason
        bytes = isOfErased ? [] : Array(try event.withoutErased(isErased).report.utf8)
        thread = event.thread.text
        user = author?.text
        message = (event.message?.id ?? fields?.messageID)?.text
    }
}
