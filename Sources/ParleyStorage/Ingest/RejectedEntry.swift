package import ParleyModel

/// An ingest entry that could not be stored, kept with its thread, user and message so that its text can be erased
/// later as that of a stored event.
package struct RejectedEntry: Hashable, Sendable {
    package let offset: String
    package let reason: String
    package let bytes: [UInt8]
    package let thread: String?
    /// The user who caused the event.
    package let user: String?
    package let message: String?

    /// An entry that could not be decoded.
    package init(offset: String, reason: String, bytes: [UInt8]) {
        self.offset = offset
        self.reason = reason
        self.bytes = bytes
        thread = nil
        user = nil
        message = nil
    }

    /// A decoded event that was rejected.
    /// - Parameter isErased: whether a user is erased; the bytes of such an event are not kept.
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
