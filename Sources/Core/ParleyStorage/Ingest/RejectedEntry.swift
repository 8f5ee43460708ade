package import ParleyModel

/// An ingest entry that could not be stored, kept with its thread, user and message so that its text can be erased
/// later, like the text of a stored event.
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
        let author = event.author
        let isOfErased = try author.map(isErased) ?? false
        self.offset = offset
        self.reason = reason
        let isAboutErased = try event.person.map(isErased) ?? false
        bytes = isOfErased ? [] : Array((isAboutErased ? event.withoutPerson : event).report.utf8)
        thread = event.thread.text
        user = author?.text
        message = (event.message?.id ?? EventFields(event.body)?.messageID)?.text
    }
}

extension LogEvent {
    /// The user who caused the event.
    package var author: UserID? {
        if let message { return message.sender.id }
        let fields = EventFields(body)
        return fields?.by ?? fields?.user
    }
}
