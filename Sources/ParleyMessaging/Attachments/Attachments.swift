package import Logging
package import ParleyModel

/// The commands about files: declaring, uploading, downloading and discarding them. What messages do with them is in
/// `Messaging.attach`.
///
/// An upload is declared first, then its bytes arrive in one or several requests, each continuing at the offset that
/// the row has. The row never promises more than is on durable storage, so an upload survives the process.
package struct Attachments: Sendable {
    package let settings: AttachmentSettings
    package let store: any AttachmentStore
    package let blobs: any BlobStore
    package let uses: UnstoredUses
    let charge: StateChanges.Charge
    let clock: WallClock
    let logger: Logger

    /// - Parameter charge: charges the user's send budget for each declaration.
    package init(
        settings: AttachmentSettings, store: any AttachmentStore, blobs: any BlobStore, uses: UnstoredUses,
        charge: @escaping StateChanges.Charge, clock: WallClock, logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.blobs = blobs
        self.uses = uses
        self.charge = charge
        self.clock = clock
        self.logger = logger
    }

    /// What a client says about a file before it uploads it.
    package struct Declaration: Hashable, Sendable {
        package var name: String
        package var type: String
        package var size: Int64
        /// In hex; checked when the upload is complete.
        package var sha256: String?

        package init(name: String, type: String, size: Int64, sha256: String?) {
            self.name = name
            self.type = type
            self.size = size
            self.sha256 = sha256
        }
    }

    // MARK: Commands

    /// Declares a file.
    /// - Throws: `invalid`, `tooLarge` for the file or the user's quota, `rateLimited`.
    package func declare(_ file: Declaration, by user: User) async throws(MessagingError) -> Attachment {
        let type = try checked(file)
        try await charge(user.id)
        let now = clock.milliseconds
        let attachment = Attachment(
            id: AttachmentID(UUIDv7(clock)), owner: user.id, name: file.name, type: type, size: file.size,
            sha256: file.sha256?.lowercased(), created: now)
        let due = now + settings.orphanMilliseconds
        let result = try await stored { try await store.addAttachment(attachment, within: settings.quota, due: due) }
        guard let result else { throw .notFound("no such user") }
        guard result.isAdded else {
            let (usage, quota) = (result.usage, settings.quota)
            throw .tooLarge(
                """
                your files have \(usage.bytes) of \(Self.text(quota.bytes)) bytes in \(usage.files) of \
                \(Self.text(quota.files)) files; delete messages with files to make room
                """)
        }
        return attachment
    }

    private static func text(_ limit: Int64) -> String { limit == 0 ? "unlimited" : "\(limit)" }

    /// - Returns: the type in the form that is stored.
    private func checked(_ file: Declaration) throws(MessagingError) -> String {
        if let violation = MediaPart.violation(inName: file.name) { throw .invalid(violation) }
        guard !file.name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            throw .invalid("name is not allowed; it has no slash or backslash")
        }
        guard let type = MediaType.normalized(file.type) else {
            throw .invalid("type is not a MIME type, such as image/jpeg")
        }
        guard settings.types.allows(type) else {
            throw .invalid("files of type \(type) are not allowed; allowed are \(settings.types.patterns)")
        }
        guard file.size >= 1 else { throw .invalid("size is \(file.size); allowed is 1 or more") }
        guard file.size <= settings.maximumBytes else {
            throw .tooLarge("the file has \(file.size) bytes; allowed are at most \(settings.maximumBytes)")
        }
        if let sum = file.sha256, sum.utf8.count != 64 || !sum.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw .invalid("sha256 is not 64 hexadecimal digits")
        }
        return type
    }

    /// A file that the user may download, or upload further; any for `nil`.
    /// - Throws: `notFound`, also for files that others have not sent to the user.
    package func find(_ id: AttachmentID, for user: UserID?) async throws(MessagingError) -> Attachment {
        let found = try await stored { () -> Attachment? in
            guard let user else { return try await store.attachment(id) }
            if let found = try await store.attachment(id, readableBy: user) { return found }
            // Sent just now, perhaps: receivers of a live message may read its files before it is stored.
            var failure: StoreError?
            for use in try await store.unconfirmedUses(of: id, readableBy: user) {
                do throws(StoreError) {
                    if try await uses.counts(use) { return try await store.attachment(id) }
                } catch {
                    // Another use may count, in a thread of a host that can be reached.
                    failure = error
                }
            }
            if let failure { throw failure }
            return nil
        }
        guard let found else { throw Self.unknown }
        return found
    }

    /// A file of the user's own.
    package func findOwn(_ id: AttachmentID, of user: UserID) async throws(MessagingError) -> Attachment {
        guard let found = try await stored({ try await store.attachment(id) }), found.owner == user else {
            throw Self.unknown
        }
        return found
    }

    /// Removes a file that nothing uses.
    /// - Throws: `conflict` if a message refers to it, or it is the user's avatar.
    package func discard(_ id: AttachmentID, of user: UserID) async throws(MessagingError) {
        guard let isDue = try await stored({ try await store.discardAttachment(id, of: user) }) else {
            throw Self.unknown
        }
        guard isDue else {
            throw .conflict("a message refers to the attachment, or it is your avatar; remove that instead")
        }
    }

    package func usage(of user: UserID) async throws(MessagingError) -> AttachmentUsage {
        try await stored { try await store.attachmentUsage(of: user) }
    }

    // MARK: Downloads

    package func read(_ attachment: Attachment, _ range: Range<Int64>) async throws(MessagingError) -> any BlobReader {
        do {
            return try await blobs.read(attachment, range)
        } catch {
            throw failure(error, of: attachment)
        }
    }

    /// See `BlobStore.address`.
    package func address(of attachment: Attachment, _ headers: BlobHeaders) -> String? {
        blobs.address(of: attachment, headers)
    }

    // MARK: Errors

    static let unknown = MessagingError.notFound("no such attachment")

    /// Texts of database errors go to the log, not to the client.
    func stored<Value>(_ body: () async throws -> Value) async throws(MessagingError) -> Value {
        do {
            return try await body()
        } catch {
            logger.warning("database is unavailable for an attachment", metadata: ["error": "\(error)"])
            throw MessagingError(error)
        }
    }

    func failure(_ error: BlobError, of attachment: Attachment) -> MessagingError {
        switch error {
        case .busy: return .conflict("another request is uploading this attachment; try again later")
        case .lost:
            logger.error("bytes of an attachment are lost", metadata: ["attachment": "\(attachment.id)"])
            return Self.unknown
        case .unavailable(let reason):
            logger.warning(
                "storage of attachments is unavailable",
                metadata: ["attachment": "\(attachment.id)", "reason": "\(reason)"])
            return .unavailable("the storage of attachments is unavailable or full")
        }
    }
}
