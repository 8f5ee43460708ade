import ParleyModel

/// An append on its way through a `RedisLog`.
struct PendingAppend: Sendable {
    let draft: EventDraft
    /// Up to its place.
    let payload: [UInt8]
    let completion: @Sendable (Result<Receipt, AppendError>) -> Void
    /// What the store has told about the thread's end; `nil` until it was asked.
    var seed: Seed?
    /// The store does not know the send.
    var isChecked = false
    /// What the thread's lane believes in.
    var epoch: Epoch?
    /// It may be in the log from an earlier attempt that nobody was told of.
    var mustBeLookedFor: Bool
    /// How often it was sent.
    var attempts = 0

    /// A Redis that sends an append back so often is of no use.
    static var maximumAttempts: Int { 16 }

    init(
        draft: EventDraft, payload: [UInt8],
        completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void
    ) {
        self.payload = payload
        self.draft = draft
        self.completion = completion
        guard case .message(let message) = draft.body else {
            mustBeLookedFor = false
            return
        }
        // A `clientID` makes sure by itself.
        mustBeLookedFor = draft.mayBeThere && message.clientID == nil
    }

    /// Where a thread that Redis does not know begins.
    struct Seed: Sendable {
        let epoch: Epoch
        let head: ThreadHead?
    }

    var message: Message? {
        if case .message(let message) = draft.body { message } else { nil }
    }

    /// The name of the send, if it has one.
    var clientID: String? { message?.clientID }

    /// What must be the same in a repeat: thread and text.
    var fingerprint: String { Self.fingerprint(draft.thread, message?.content ?? "") }

    /// Whether what the store has under the same `clientID` is this send. Of a message whose text is gone nobody can
    /// tell any more, so thread and name decide.
    func isRepeated(by stored: LogEvent) -> Bool {
        guard let message = stored.message else { return false }
        if message.isDeleted || message.isErased { return stored.thread == draft.thread }
        return Self.fingerprint(stored.thread, message.content) == fingerprint
    }

    static func fingerprint(_ thread: ThreadID, _ text: String) -> String {
        FNV1a128.hex(of: "\(thread)\n\(text)")
    }

    /// The EVALSHA of it; see `AppendScript`.
    /// - Parameter seen: what this node has seen of the thread.
    func command(_ hosts: RedisHosts, seen: Position?) -> RESPCommand {
        let (names, settings) = (hosts.layout.names, hosts.settings)
        let thread = draft.thread
        let encrypts = !settings.channels.symmetricEncryptionKeys.isEmpty
        var keys = [names.head(of: thread), names.log(of: thread), names.ingest(names.partition(of: thread))]
        if let message, let clientID { keys.append(names.once(message.sender.id, clientID)) }
        // Without a belief in an epoch, what was seen is told besides.
        let needsMore = epoch == nil || isChecked
        let script = message == nil ? hosts.scripts.otherEvent : hosts.scripts.message
        var command = script.command(
            keys: keys, arguments: seed != nil ? 12 : needsMore ? 7 : 5, capacity: payload.count + 768)
        // A token that only nodes can place is for nodes only.
        command.append(message == nil || encrypts ? names.events(of: thread) : names.messages(of: thread))
        command.append(epoch?.text ?? "")
        command.append(epoch == nil || epoch == seen?.epoch ? seen?.seq ?? 0 : 0)
        command.append(payload)
        command.append(clientID == nil ? "" : fingerprint + (message?.id.text ?? ""))
        guard needsMore || seed != nil else { return command }
        command.append(isChecked ? "1" : "0")
        command.append((epoch ?? seen?.epoch)?.text ?? "")
        if let seed {
            command.append(seed.epoch.text)
            command.append(max(seed.head?.position.seq ?? 0, seen?.seq ?? 0))
            command.append(seed.head?.messageCount ?? 0)
            command.append(seed.head?.milliseconds ?? 0)
            command.append(settings.log.doubtMilliseconds)
        }
        return command
    }
}
