package import ParleyAccounts
package import ParleyModel

/// A client's description of a file before the upload.
package struct FileDeclaration: Hashable, Sendable {
    package var name: String
    package var type: String
    package var size: Int64
    /// The SHA-256 in hex, which is checked when the upload is complete.
    package var sha256: String?

    package init(name: String, type: String, size: Int64, sha256: String?) {
        self.name = name
        self.type = type
        self.size = size
        self.sha256 = sha256
    }
}

/// A file of the caller's own. Only `Messaging` makes one.
package struct OwnFile: Sendable {
    package let attachment: Attachment
    fileprivate let attachments: Attachments

    /// Receives bytes; see `Attachments.append`.
    package func append(_ next: () async throws -> [UInt8]?) async throws -> Attachment {
        try await attachments.append(to: attachment, next)
    }
}

/// A file that the caller may download, or continue to upload. Only `Messaging` makes one.
package struct ReadableFile: Sendable {
    package let attachment: Attachment
    fileprivate let attachments: Attachments

    package func read(_ range: Range<Int64>) async throws(MessagingError) -> any BlobReader {
        do {
            return try await attachments.blobs.read(attachment, range)
        } catch {
            throw attachments.failure(error, of: attachment)
        }
    }

    /// See `BlobStore.address`.
    package func address(_ headers: BlobHeaders) -> String? {
        attachments.blobs.address(of: attachment, headers)
    }
}

/// The declaration, look-up and removal of files. All functions throw `notFound` if attachments are disabled.
extension Messaging {
    private func served() throws(MessagingError) -> Attachments {
        guard let attachments else { throw .notFound("attachments are off on this server") }
        return attachments
    }

    /// Returns the caller's upload limits and usage.
    package func attachmentUsage(
        of caller: Caller
    ) async throws(MessagingError) -> (settings: AttachmentSettings, usage: AttachmentUsage) {
        let served = try served()
        return (
            served.settings, try await served.stored { try await served.store.attachmentUsage(of: caller.user.id) }
        )
    }

    /// Declares a file.
    /// - Throws: `invalid`; `tooLarge` if the file or the user's usage would exceed a limit; `rateLimited`.
    package func declare(_ file: FileDeclaration, by caller: Caller) async throws(MessagingError) -> OwnFile {
        let served = try served()
        let type = try served.settings.checkedType(of: file)
        try await budgets.charge(caller.user.id)
        let now = clock.milliseconds
        let attachment = Attachment(
            id: AttachmentID(UUIDv7(clock)), owner: caller.user.id, name: file.name, type: type, size: file.size,
            sha256: file.sha256?.lowercased(), created: now)
        let (quota, due) = (served.settings.quota, now + served.settings.orphanMilliseconds)
        let result = try await served.stored {
            try await served.store.addAttachment(attachment, within: quota, due: due)
        }
        guard let result else { throw .noUser }
        guard result.isAdded else {
            let usage = result.usage
            throw .tooLarge(
                """
                your files have \(usage.bytes) of \(Self.text(quota.bytes)) bytes in \(usage.files) of \
                \(Self.text(quota.files)) files; delete messages with files to make room
                """)
        }
        return OwnFile(attachment: attachment, attachments: served)
    }

    private static func text(_ limit: Int64) -> String { limit == 0 ? "unlimited" : "\(limit)" }

    /// Returns a file that belongs to the caller.
    package func ownFile(_ id: AttachmentID, of caller: Caller) async throws(MessagingError) -> OwnFile {
        let served = try served()
        let found = try await served.stored { try await served.store.attachment(id) }
        guard let found, found.owner == caller.user.id else { throw Attachments.unknown }
        return OwnFile(attachment: found, attachments: served)
    }

    /// Returns a file that the principal may download or continue to upload. A back end may download any file.
    /// - Throws: `notFound`, also for files of others that were not sent to the user.
    package func file(_ id: AttachmentID, for principal: Principal) async throws(MessagingError) -> ReadableFile {
        let served = try served()
        let found = try await served.stored {
            switch principal {
            case .user(let identity):
                try await served.attachment(id, readableBy: identity.user.id) { thread throws(StoreError) in
                    try await firstSeq(in: thread, of: identity.user.id)
                }
            case .service: try await served.store.attachment(id)
            }
        }
        guard let found else { throw Attachments.unknown }
        return ReadableFile(attachment: found, attachments: served)
    }

    /// Removes a file of the caller that is not in use.
    /// - Throws: `conflict` if a message refers to it, or it is the user's avatar or the picture of a room.
    package func discardFile(_ id: AttachmentID, of caller: Caller) async throws(MessagingError) {
        let served = try served()
        let isDue = try await served.stored { try await served.store.discardAttachment(id, of: caller.user.id) }
        guard let isDue else { throw Attachments.unknown }
        guard isDue else {
            throw .conflict(
                "a message refers to the attachment, or it is your avatar or the picture of a room; remove that instead"
            )
        }
    }
}

extension AttachmentSettings {
    /// - Returns: The type in its stored form.
    fileprivate func checkedType(of file: FileDeclaration) throws(MessagingError) -> String {
        if let violation = MediaPart.violation(inName: file.name) { throw .invalid(violation) }
        guard !file.name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            throw .invalid("name is not allowed; it has no slash or backslash")
        }
        guard let type = MediaType.normalized(file.type) else {
            throw .invalid("type is not a MIME type, such as image/jpeg")
        }
        guard types.allows(type) else {
            throw .invalid("files of type \(type) are not allowed; allowed are \(types.patterns)")
        }
        guard file.size >= 1 else { throw .invalid("size is \(file.size); allowed is 1 or more") }
        guard file.size <= maximumBytes else {
            throw .tooLarge("the file has \(file.size) bytes; allowed are at most \(maximumBytes)")
        }
        if let sum = file.sha256, sum.utf8.count != 64 || !sum.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw .invalid("sha256 is not 64 hexadecimal digits")
        }
        return type
    }
}
