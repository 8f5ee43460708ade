import ParleyAccounts
import ParleyModel
import Synchronization

/// One attempt to add events of a thread to its log.
extension Adopter {
    /// The result of an attempt to add one event.
    private enum Result {
        case done(Receipt)
        case failed(AdoptionFailure)
        case again
    }

    /// A sender, their display name for the message, and their membership in the thread.
    private struct Author {
        var user: User
        var displayName: String?
        var membership: Membership
    }

    /// - Returns: The events to try again, in order.
    func attempt(_ unnamed: [Item], in thread: ThreadID) async -> [Item] {
        async let naming = clientIDs(of: unnamed, in: thread)
        let authors = await authors(of: Set(unnamed.map(\.send.sender)), in: thread)
        var items = unnamed
        for (index, name) in await naming { items[index].clientID = name }
        var (sends, results): ([(index: Int, send: PreparedSend)], [Result]) = ([], [])
        for (index, item) in items.enumerated() {
            switch prepare(item, by: authors[item.send.sender] ?? .failure(.unavailable)) {
            case .success(let send): sends.append((index, send))
            case .failure(.unavailable): break
            case .failure(let failure):
                results.append(.failed(failure))
                continue
            }
            results.append(.again)
        }
        // The events after one that has to wait must wait as well.
        let first = results.indices.first { index in
            if case .again = results[index] { !sends.contains { $0.index == index } } else { false }
        }
        sends.removeAll { $0.index >= first ?? results.endIndex }
        for (index, result) in zip(sends.map(\.index), await append(sends.map(\.send))) { results[index] = result }
        return zip(items, results).compactMap { finish($0, $1) }
    }

    /// - Returns: The item, if it must be tried again.
    private func finish(_ item: Item, _ result: Result) -> Item? {
        switch result {
        case .again: return item
        case .failed(let failure): item.failed(failure)
        case .done(let receipt): count(receipt.isRepeat ? .repeated : .accepted)
        }
        return nil
    }

    /// Returns the names that were not known yet, by index. Names that cannot be determined are missing.
    private func clientIDs(of items: [Item], in thread: ThreadID) async -> [(Int, String)] {
        await withTaskGroup(of: (Int, String)?.self) { [names, settings] group in
            for (index, item) in items.enumerated() where item.clientID == nil {
                guard item.send.sentMicroseconds != nil || uptime - item.heard < settings.tooLate else { continue }
                group.addTask {
                    let name = try? await names.clientID(
                        of: item.send, in: thread, rememberedFor: settings.rememberedFor)
                    return name.map { (index, $0) }
                }
            }
            return await group.reduce(into: []) { names, name in if let name { names.append(name) } }
        }
    }

    private func authors(
        of senders: Set<ForeignSend.Sender>, in thread: ThreadID
    ) async -> [ForeignSend.Sender: Swift.Result<Author, AdoptionFailure>] {
        var authors: [ForeignSend.Sender: Swift.Result<Author, AdoptionFailure>] = [:]
        // Senders are looked up one after another, since there are few, and most are cached.
        for sender in senders { authors[sender] = await author(sender, in: thread) }
        return authors
    }

    private func author(
        _ sender: ForeignSend.Sender, in thread: ThreadID
    ) async -> Swift.Result<Author, AdoptionFailure> {
        do {
            let account =
                switch sender {
                case .id(let id): try await messaging.ports.directory.account(id)
                case .name(let name): try await messaging.ports.directory.account(named: name)
                }
            guard let account else { return .failure(.unknownSender) }
            let isSuspended = account.suspension?.isInForce(at: messaging.clock.milliseconds) == true
            guard !isSuspended else { return .failure(.forbidden) }
            let user = account.user
            // Read together with the membership, and mostly cached. If it cannot be read, the message has none.
            async let displayName = messaging.displayName(of: user, fresh: false)
            guard case .member(let membership) = try await messaging.access(of: user.id, to: thread) else {
                return .failure(.notAMember)
            }
            return .success(Author(user: user, displayName: await displayName, membership: membership))
        } catch {
            return .failure(.unavailable)
        }
    }

    private func prepare(
        _ item: Item, by author: Swift.Result<Author, AdoptionFailure>
    ) -> Swift.Result<PreparedSend, AdoptionFailure> {
        let send = item.send
        do throws(AdoptionFailure) {
            let author = try author.get()
            guard let clientID = item.clientID else { throw .unavailable }
            do throws(MessagingError) {
                var message = NewMessage(
                    send.text, parts: send.parts, replyTo: send.replyTo, clientID: clientID)
                message.isKnownToDjango = send.isKnownToDjango
                let caller = Caller(adopting: author.user, displayName: author.displayName)
                return .success(try messaging.prepare(message, by: caller, as: author.membership))
            } catch {
                switch error {
                case .forbidden, .slowMode: throw .forbidden
                default: throw .invalid
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Appends events in order, without waiting for each result.
    private func append(_ sends: [PreparedSend]) async -> [Result] {
        guard !sends.isEmpty else { return [] }
        let pending = PendingResults(count: sends.count)
        return await withCheckedContinuation { continuation in
            for (index, send) in sends.enumerated() {
                messaging.append(send) { result in
                    if let all = pending.set(result, at: index) { continuation.resume(returning: all.map(Self.result)) }
                }
            }
        }
    }

    private static func result(_ result: Swift.Result<Receipt, MessagingError>) -> Result {
        switch result {
        case .success(let receipt): .done(receipt)
        case .failure(.unavailable): .again
        case .failure: .failed(.conflict)
        }
    }
}

/// The results of appends, until all have arrived. Protected by a lock.
private final class PendingResults: Sendable {
    typealias Element = Result<Receipt, MessagingError>

    private let state: Mutex<(results: [Element?], missing: Int)>

    init(count: Int) {
        state = Mutex(([Element?](repeating: nil, count: count), count))
    }

    /// - Returns: All results, if this was the last one.
    func set(_ result: Element, at index: Int) -> [Element]? {
        state.withLock { state in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results.compactMap(\.self) : nil
        }
    }
}
