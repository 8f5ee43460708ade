import Foundation
import ParleyClient
import ParleyTerminal

/// Performs what the screen asks for, and reports the messages of the open thread to it.
actor ChatPerformer {
    private let client: ChatClient
    private let display: ChatDisplay
    private var messages: MessageCollection?
    private var observation: Task<Void, Never>?
    private var entrances: Task<Void, Never>?
    private var isLoading = false

    init(client: ChatClient, display: ChatDisplay) {
        self.client = client
        self.display = display
    }

    /// Performs effects until they end: concurrently if they wait for the server, otherwise in order.
    func run(_ effects: AsyncStream<ScreenEffect>) async {
        await withDiscardingTaskGroup { group in
            for await effect in effects {
                if effect.isSlow {
                    group.addTask { await self.perform(effect) }
                } else {
                    await perform(effect)
                }
            }
        }
        observation?.cancel()
        entrances?.cancel()
        await observation?.value
        await entrances?.value
    }

    private func perform(_ effect: ScreenEffect) async {
        do {
            try await tryToPerform(effect)
        } catch is CancellationError {
        } catch ChatError.offline {
            await display.handle([.notice("This needs a connection.")])
        } catch ChatError.refused(_, let message) {
            await display.handle([.notice("Refused: \(message)")])
        } catch {
            await display.handle([.notice("\(error)")])
        }
    }

    private func tryToPerform(_ effect: ScreenEffect) async throws {
        switch effect {
        case .open(let thread): await open(ChatThread.ID(thread))
        case .send(let thread, let text, let replyTo):
            try await client.send(text, to: ChatThread.ID(thread), replyTo: replyTo)
        case .edit(let thread, let id, let text):
            try await client.edit(ChatMessage.ID(id), in: ChatThread.ID(thread), text: text)
        case .delete(let thread, let id): try await client.delete(ChatMessage.ID(id), in: ChatThread.ID(thread))
        case .react(let thread, let id, let emoji, let isOn):
            try await client.react(emoji, isOn: isOn, to: ChatMessage.ID(id), in: ChatThread.ID(thread))
        case .retry(let thread, let id): try await client.retry(ChatMessage.ID(id), in: ChatThread.ID(thread))
        case .discard(let thread, let id): try await client.discard(ChatMessage.ID(id), in: ChatThread.ID(thread))
        case .markRead(let thread, let seq): try await client.markRead(ChatThread.ID(thread), upTo: seq)
        case .typing(let thread, let isOn): await client.setTyping(isOn, in: ChatThread.ID(thread))
        case .jumpToNewest: await messages?.jumpToNewest()
        case .loadOlder: try await load { try await $0.loadOlder() }
        case .loadNewer: try await load { try await $0.loadNewer() }
        case .jump(let seq): try await messages?.jump(toSeq: seq)
        case .jumpToDate(let year, let month, let day):
            // The first moment of the next day: the newest message of that day or earlier is shown.
            var parts = tm()
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day + 1))
            parts.tm_isdst = -1
            try await messages?.jump(to: Date(timeIntervalSince1970: TimeInterval(mktime(&parts)) - 0.001))
        case .suggest(let kind, let prefix): try await suggest(kind, prefix)
        case .search(let words):
            let results = try await client.search(words, limit: 100)
            await display.handle([.found(words: words, await client.shown(results.messages), hasMore: results.hasMore)])
        case .join(let title):
            await display.handle([.entered(thread: try await client.joinRoom(title: title).rawValue)])
        case .direct(let user):
            await display.handle([.entered(thread: try await client.openDirect(with: user).rawValue)])
        case .leave(let thread): try await client.leave(ChatThread.ID(thread))
        case .members(let thread):
            let members = try await client.members(of: ChatThread.ID(thread)).map { member in
                member.user.username + (member.role.map { "  \($0.rawValue)" } ?? "")
            }
            await display.handle([.list(title: "\(members.count) members", members)])
        case .sanction(let thread, let command):
            await display.handle([.notice(try await client.perform(command, in: ChatThread.ID(thread)))])
        case .sanctions(let thread):
            let sanctions = try await client.sanctions(in: ChatThread.ID(thread)).map(\.line)
            await display.handle([.list(title: "\(sanctions.count) mutes and bans", sanctions)])
        case .entrance(let thread, let command):
            await display.handle([try await client.perform(command, in: ChatThread.ID(thread)).event])
        case .room(let thread, let command):
            await display.handle([try await client.perform(command, in: ChatThread.ID(thread)).event])
        case .redraw, .suspend, .quit: break
        }
    }

    private func load(_ call: (MessageCollection) async throws -> Bool) async throws {
        guard let messages, !isLoading else { return }
        isLoading = true
        defer { isLoading = false }
        _ = try await call(messages)
    }

    private func suggest(_ kind: Prompt.Kind, _ prefix: String) async throws {
        // A list that cannot be had is not worth a notice.
        guard await client.state == .connected else { return }
        let names =
            kind == .room
            ? try await client.joinableRooms(prefix: prefix).map(\.title)
            : try await client.users(prefix: prefix).map(\.username)
        await display.handle([.suggestions(kind, prefix: prefix, names)])
    }

    // MARK: Messages

    private func open(_ thread: ChatThread.ID) async {
        observation?.cancel()
        entrances?.cancel()
        entrances = Task { [weak self] in await self?.reportRequests(to: thread) }
        let messages = await client.messages(in: thread)
        self.messages = messages
        observation = Task { [weak self] in
            for await update in messages {
                guard !Task.isCancelled else { return }
                await self?.report(update, of: thread)
            }
        }
    }

    /// Reports the requests to a thread that the user moderates, at first and when they change.
    private func reportRequests(to thread: ChatThread.ID) async {
        for await _ in client.entranceChanges(of: thread) {
            guard !Task.isCancelled else { return }
            let role = await client.thread(thread)?.role
            // A list that cannot be had is not worth a notice.
            guard role == .owner || role == .moderator, await client.state == .connected,
                let requests = try? await client.entranceRequests(to: thread)
            else { continue }
            await display.handle([.requests(thread: thread.rawValue, requests.map(\.user.username))])
        }
    }

    private func report(_ update: ChatUpdate<ChatMessage>, of thread: ChatThread.ID) async {
        let event = ScreenEvent.messages(
            thread: thread.rawValue, await client.shown(update.items), hasOlder: update.hasOlder,
            hasNewer: update.hasNewer)
        await display.handle([event, await client.connectionEvent])
    }
}

extension ScreenEffect {
    /// Whether it waits for the server.
    fileprivate var isSlow: Bool {
        switch self {
        case .loadOlder, .loadNewer, .jump, .jumpToDate, .suggest, .search, .join, .direct, .leave, .members, .sanction,
            .sanctions, .entrance, .room:
            true
        default: false
        }
    }
}

extension ChatClient {
    /// The state of the connection and how much is unsent, as the screen shows them.
    var connectionEvent: ScreenEvent {
        get async {
            let notice: ConnectionNotice =
                switch await state {
                case .connected: .connected
                case .connecting: .connecting
                case .offline(let until): .offline(retry: until.map { LocalTime($0) })
                case .loggedOut: .offline(retry: nil)
                }
            return .connection(notice, unsent: await unconfirmedCount)
        }
    }
}
