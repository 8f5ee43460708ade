package import ParleyModel
import ParleyStorage
package import ParleyStoreModel

/// A model of a server with one database.
package struct ModelTestDatabase: StoreDatabase {
    package let server: ModelServer

    package init(clock: WallClock = .system) {
        server = ModelServer(clock: clock)
    }

    package static func make() async throws -> ModelTestDatabase { ModelTestDatabase() }

    package func open() async throws -> any StoreUnderTest { open(as: "test") }

    package func open(as client: String, clock: WallClock = .system, hook: (any DatabaseHook)? = nil) -> ModelDatabase {
        ModelDatabase(
            server, client: client, clock: clock, contentKey: ContentKey(secret: Array("secret".utf8)),
            nameLook: NameLook.ofContract, hook: hook)
    }

    package func rejects() async throws -> [StoreReject] {
        server.snapshot().tables.rejects.map { StoreReject(reason: $0.reason, bytes: $0.bytes) }
    }

    package func count(_ rows: StoreRowCount) async throws -> Int64 { Int64(server.snapshot().tables.count(rows)) }

    package func apply(_ change: StoreRowChange) async throws {
        let edit: RowEdit =
            switch change {
            case .eraseUser(let user, let milliseconds): .eraseUser(user, at: milliseconds)
            case .setPasswordHash(let hash, let user): .setPasswordHash(hash, of: user)
            case .setCleanupsDue(let due): .setCleanupsDue(due)
            case .setOutboxKind(let kind, let id): .setOutboxKind(kind, of: id)
            case .addOutboxEntry(let thread):
                .addOutboxEntry(thread: thread, kind: "joined", payload: "{}", created: 1)
            case .endEpoch(let epoch, let thread): .endEpoch(epoch, of: thread)
            case .forgetEventBatches(let stamp): .forgetEventBatches(after: stamp)
            }
        server.edit(edit)
    }

    package func remove() async throws {}
}

extension Tables {
    func count(_ rows: StoreRowCount) -> Int {
        switch rows {
        case .attachmentUses: uses.values.reduce(0) { $0 + $1.count }
        case .attachments: attachments.count
        case .namedAttachments: attachments.values.count { !$0.attachment.name.isEmpty }
        case .keptAttachments(let id): attachments[id].map { $0.due == nil ? 1 : 0 } ?? 0
        case .cleanups: cleanups.count
        case .messages: messages { _ in true }
        case .texts: messages { !$0.text.isEmpty }
        case .textsOf(let user): messages { $0.sender == user && !$0.text.isEmpty }
        case .namedMessages: messages { $0.clientID != nil }
        case .tracesOfSends(let user):
            messages { $0.sender == user && ($0.clientID ?? $0.laterClientID != nil || $0.digest != nil) }
                + sends.values.reduce(0) { $0 + $1.later.count }
        case .outbox: outbox.count
        case .reactionEvents:
            logs.values.reduce(0) {
                $0 + $1.events.count { $0.fields.kind == .reaction && $0.fields.text?.isEmpty == false }
            }
        case .rejects(let thread): rejects.count { $0.thread == thread && $0.message != nil }
        case .repeats: logs.values.reduce(0) { $0 + $1.repeats.count }
        case .restrictions:
            restrictions.values.reduce(0) { $0 + ($1.isRemoved ? 1 : 0) + ($1.isReadOnly ? 1 : 0) }
        case .invitations: invitations.count
        case .joinRequests: requests.count
        case .sanctions: sanctions.values.reduce(0) { $0 + $1.count }
        case .links: links.values.reduce(0) { $0 + $1.count }
        }
    }

    private func messages(where matches: (MessageRow) -> Bool) -> Int {
        logs.values.reduce(0) { $0 + $1.messages.count(where: matches) }
    }
}
