import ParleyModel

/// An append on its way through a `RedisLog`.
struct PendingAppend: Sendable {
    let draft: EventDraft
    /// Up to its place.
    let payload: [UInt8]
    let completion: @Sendable (Result<Receipt, AppendError>) -> Void
    /// What Redis recognises the send by if it comes again; `nil` for an event that is no send with a `clientID`.
    let name: SendName?
    /// What the store has told about the thread's end; `nil` until it was asked.
    var seed: Seed?
    /// The store does not know the send, or could not be asked.
    var isChecked = false
    /// Another send has claimed its `clientID`: it is a conflict, unless the store knows better.
    var isDisputed = false
    /// It has gone through `SendLookups`, and is in the lane of its thread.
    var isInLane = false
    /// What the thread's lane believes in.
    var epoch: Epoch?
    /// It may be in the log from an earlier attempt that nobody was told of.
    var mustBeLookedFor: Bool
    /// How often it was sent.
    var attempts = 0

    /// A Redis that sends an append back so often is of no use.
    static var maximumAttempts: Int { 16 }

    init(
        draft: EventDraft, payload: [UInt8], digest: SendDigest,
        completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void
    ) {
        self.payload = payload
        self.draft = draft
        self.completion = completion
        if draft.outboxID == nil, let message = draft.message, let clientID = message.clientID {
            name = SendName(
                sender: message.sender.id, clientID: clientID, digest: digest.of(message, in: draft.thread),
                made: ClientIDTime.milliseconds(of: clientID))
        } else {
            name = nil
        }
        // A `clientID` or an entry of the outbox makes sure by itself.
        mustBeLookedFor = draft.mayBeThere && draft.message != nil && draft.outboxID == nil && name == nil
    }

    /// A send as Redis knows it.
    struct SendName: Sendable {
        let sender: UserID
        let clientID: String
        let digest: String
        /// When the `clientID` says that it was made, Unix milliseconds; `nil` if it does not say so.
        let made: Int64?
    }

    /// Where a thread that Redis does not know begins.
    struct Seed: Sendable {
        let epoch: Epoch
        let head: ThreadHead?
    }

    /// What the store is asked about the send.
    var query: SendQuery? {
        name == nil ? nil : draft.message.map { SendQuery(thread: draft.thread, message: $0) }
    }

    /// For the lane: the time of a `clientID` that has to prove that it is new.
    var unprovenTime: Int64? { isChecked ? nil : name?.made }

    /// What Redis remembers the append by.
    private func onceKey(_ names: ChannelNames) -> String? {
        if let outboxID = draft.outboxID { return names.once(outboxID, in: draft.thread) }
        return name.map { names.once($0.sender, $0.clientID) }
    }

    /// The time by which a `clientID` proves that it is new; negative if it need not, and then -1 if there is none. One
    /// of the year 1970 is as good as none: 0 could not be told from one that has to prove itself.
    private var proof: Int64 {
        guard let name else { return -1 }
        return isChecked ? -max(1, name.made ?? 1) : name.made ?? 0
    }

    /// The EVALSHA of it; see `AppendScript`.
    /// - Parameter seen: what this node has seen of the thread.
    func command(_ hosts: RedisHosts, seen: Position?) -> RESPCommand {
        let (names, settings) = (hosts.layout.names, hosts.settings)
        let thread = draft.thread
        let encrypts = !settings.channels.symmetricEncryptionKeys.isEmpty
        let isMessage = draft.message != nil
        var keys = [names.head(of: thread), names.log(of: thread), names.ingest(names.partition(of: thread))]
        let once = onceKey(names)
        if let once { keys.append(once) }
        let script = isMessage ? hosts.scripts.message : hosts.scripts.otherEvent
        // Without a belief in an epoch, what was seen is told besides.
        let count = seed != nil ? 12 : epoch == nil ? 7 : once != nil ? 6 : 5
        var command = script.command(keys: keys, arguments: count, capacity: payload.count + 768)
        // A token that only nodes can place is for nodes only.
        command.append(!isMessage || encrypts ? names.events(of: thread) : names.messages(of: thread))
        command.append(epoch?.text ?? "")
        command.append(epoch == nil || epoch == seen?.epoch ? seen?.seq ?? 0 : 0)
        command.append(payload)
        command.append(once == nil ? "" : (name?.digest ?? Self.noDigest) + (draft.message?.id.text ?? ""))
        if count > 5 { command.append(proof) }
        if count > 6 { command.append((epoch ?? seen?.epoch)?.text ?? "") }
        if let seed {
            command.append(seed.epoch.text)
            command.append(max(seed.head?.position.seq ?? 0, seen?.seq ?? 0))
            command.append(seed.head?.messageCount ?? 0)
            command.append(seed.head?.milliseconds ?? 0)
            command.append(settings.log.doubtMilliseconds)
        }
        return command
    }

    /// An entry of the outbox is never another event.
    private static let noDigest = String(repeating: "0", count: 32)

    /// The EVALSHA of `RedisScripts.claim`; `nil` for what has no `clientID`.
    func claim(_ names: ChannelNames, _ settings: RedisLogSettings) -> RESPCommand? {
        guard let name else { return nil }
        let keys = [names.claim(name.sender, name.clientID), names.claimMark]
        var command = RedisScripts.claim.command(keys: keys, arguments: 3)
        command.append(name.digest)
        command.append(name.made ?? 0)
        command.append(settings.onceMilliseconds)
        return command
    }
}
