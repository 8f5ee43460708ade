import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// An append in progress in a `RedisLog`.
package struct PendingAppend: Sendable {
    package typealias Completion = @Sendable (Result<Receipt, AppendError>) -> Void

    package let draft: EventDraft
    /// Everything before the position.
    let payload: [UInt8]
    /// The host of its thread.
    let host: Int
    let completion: Completion
    /// The identity by which Redis recognises a repeat; `nil` for an event that is not a send with a `clientID`.
    let name: SendName?
    /// The thread's end as reported by the store; `nil` until it is queried.
    package internal(set) var seed: Seed?
    /// Whether the send is unknown to the store, or could not be queried.
    package internal(set) var isChecked = false
    /// Whether another send has claimed the `clientID`: a conflict, unless the store reports otherwise.
    var isDisputed = false
    /// Whether the append has passed `SendLookups` and is in the lane of its thread.
    var isInLane = false
    /// The epoch that the thread's lane expects.
    package internal(set) var epoch: Epoch?
    /// Whether the event may be in the log from an earlier, unreported attempt.
    var mayBeInLog: Bool
    /// The number of times it was sent.
    var attempts = 0

    /// The number of times Redis may return an append before it fails.
    package static var maximumAttempts: Int { 16 }

    package init(
        draft: EventDraft, payload: [UInt8], host: Int, digest: SendDigest, completion: @escaping Completion
    ) {
        self.payload = payload
        self.host = host
        self.draft = draft
        self.completion = completion
        if draft.outboxID == nil, let message = draft.message, let clientID = message.clientID {
            name = SendName(
                sender: message.sender.id, clientID: clientID, digest: digest.of(message, in: draft.thread),
                made: ClientIDTime.milliseconds(of: clientID))
        } else {
            name = nil
        }
        // A `clientID` or an outbox entry prevents duplicates by itself.
        mayBeInLog = draft.mayBeThere && draft.message != nil && draft.outboxID == nil && name == nil
    }

    /// The identity of a send in Redis.
    struct SendName: Sendable {
        let sender: UserID
        let clientID: String
        let digest: String
        /// The time in the `clientID`, in Unix milliseconds; `nil` if it contains none.
        let made: Int64?
    }

    /// The position from which a thread unknown to Redis continues.
    package struct Seed: Sendable {
        let epoch: Epoch
        let head: ThreadHead?

        package init(epoch: Epoch, head: ThreadHead?) {
            self.epoch = epoch
            self.head = head
        }
    }

    /// The store query for the send.
    var query: SendQuery? {
        name == nil ? nil : draft.message.map { SendQuery(thread: draft.thread, message: $0) }
    }

    /// For the lane: the time of a `clientID` that must prove that it is new.
    var unprovenTime: Int64? { isChecked ? nil : name?.made }

    /// The key under which Redis remembers the append.
    private func idempotencyKey(_ names: ChannelNames) -> String? {
        if let outboxID = draft.outboxID { return names.once(outboxID, in: draft.thread) }
        return name.map { names.once($0.sender, $0.clientID) }
    }

    /// The time by which a `clientID` proves that it is new; negative if no proof is needed, and then -1 without a
    /// time. A time in 1970 counts as none, since 0 could not be distinguished from one that needs proof.
    private var proof: Int64 {
        guard let name else { return -1 }
        return isChecked ? -max(1, name.made ?? 1) : name.made ?? 0
    }

    /// The EVALSHA command; see `AppendScript`.
    /// - Parameters:
    ///   - seen: the last position that this node has seen in the thread.
    ///   - mark: the mark of the incarnation of Redis that the command is for.
    func command(_ hosts: RedisHosts, seen: Position?, mark: String) -> RESPCommand {
        let (names, settings) = (hosts.layout.names, hosts.settings)
        let thread = draft.thread
        let encrypts = !settings.channels.symmetricEncryptionKeys.isEmpty
        let isMessage = draft.message != nil
        let appendNames = names.namesOfAppend(to: thread)
        var keys = [appendNames.head, appendNames.log, appendNames.ingest]
        let once = idempotencyKey(names)
        if let once { keys.append(once) }
        let script = hosts.scripts.append(draft)
        // Without an expected epoch, the epoch of `seen` is passed as well.
        let count = seed != nil ? 12 : epoch == nil ? 7 : once != nil ? 6 : 5
        var command = script.command(keys: keys, arguments: count, capacity: payload.count + 768)
        // Only nodes can read the position beside a token, so a token goes to the nodes' channel only.
        let isForNodes = !isMessage || encrypts || draft.isKnownToDjango
        command.append(isForNodes ? names.events(of: thread) : appendNames.messages)
        command.append(epoch.map { $0.text + mark } ?? mark)
        command.append(epoch == nil || epoch == seen?.epoch ? seen?.seq ?? 0 : 0)
        command.append(payload)
        let isNamed = once != nil || draft.message?.hasAttachments == true
        command.append(isNamed ? (name?.digest ?? Self.noDigest) + (draft.message?.id.text ?? "") : "")
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

    /// An outbox entry never stands for another event.
    private static let noDigest = String(repeating: "0", count: 32)

    /// The EVALSHA command of `RedisScripts.claim`; `nil` without a `clientID`.
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
