extension Attachment {
    /// Whether it may be the picture of a user or a room: a complete image of a type that browsers show.
    package var isPicture: Bool { isComplete && type.hasPrefix("image/") && MediaType.isShown(type) }
}

extension AttachmentUse {
    /// The use of the picture of a room, which is confirmed from the beginning. No message has the empty ID.
    package static func picture(of thread: ThreadID) -> AttachmentUse {
        AttachmentUse(thread: thread, message: MessageID(trusted: ""))
    }

    package var isPicture: Bool { message.text.isEmpty }
}
