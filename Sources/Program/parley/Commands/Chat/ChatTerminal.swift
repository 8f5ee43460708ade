import Foundation
import ParleyClient
import ParleyTerminal
import UnixSignals

/// `parley chat` on a terminal: wires keys, signals and the client's live sequences to the screen, until the user quits.
struct ChatTerminal: Sendable {
    /// The reason that the screen is left.
    private enum End: Hashable, Sendable {
        case quit
        case loggedOut(reason: String)
        case signal(Int32)

        /// `nil` if the program continues.
        var exitCode: Int32? {
            switch self {
            case .quit: 0
            case .signal(let number): 128 + number
            case .loggedOut: nil
            }
        }
    }

    let client: ChatClient
    let session: TerminalSession
    let target: ChatTarget?
    let hasColors: Bool

    /// The longest time between the parts of a key's sequence, in milliseconds: a slow line delivers them separately.
    private static let escapeDelay: Int32 = 50
    /// The presence of at most so many users is watched.
    private static let maximumPeers = 100

    /// Shows the screen until the session is ended; a user who quits and a signal end the program. Then the terminal is as
    /// it was, and the client is shut down.
    /// - Returns: Why the session was ended.
    func run() async throws -> String {
        let device = TerminalDevice()
        let keys = try StandardInput()
        let effects = EffectQueue()
        let size = device.size
        var screen = ChatScreen(server: session.server.name, user: session.user, asksForRoom: target == nil)
        _ = screen.handle(.resized(columns: size.columns, rows: size.rows))
        let (quitting, quit) = AsyncStream.makeStream(of: Never.self)
        let display = ChatDisplay(
            screen: screen, hasColors: hasColors, device: device, effects: effects, quit: quit)
        let performer = ChatPerformer(client: client, display: display)
        try device.enter()
        defer { device.leave() }
        await client.start()
        let end = try await withThrowingTaskGroup(of: End?.self) { group in
            let signals = await UnixSignalsSequence(
                trapping: .sigwinch, .sigcont, .sighup, .sigint, .sigquit, .sigterm)
            group.addTask { await obey(signals, display) }
            group.addTask { await read(keys, display) }
            group.addTask { await showStates(on: display) }
            group.addTask { await showThreads(on: display) }
            group.addTask { await watchPeersOnConnect(display) }
            group.addTask { await watchPeersOfThreads(display) }
            group.addTask {
                for await presence in client.presence { await display.show(presence) }
                return nil
            }
            group.addTask {
                await performer.run(effects.effects)
                return nil
            }
            group.addTask {
                for await _ in quitting {}
                return .quit
            }
            group.addTask {
                for await blocks in client.blocks { await display.handle([.blocks(Set(blocks.map(\.rawValue)))]) }
                return nil
            }
            group.addTask {
                for await invitations in client.openInvitations {
                    let shown = invitations.map {
                        ShownInvitation(id: $0.threadID.rawValue, title: $0.title, by: $0.by.username)
                    }
                    await display.handle([.invitations(shown)])
                }
                return nil
            }
            if let target { group.addTask { await open(target, on: display) } }
            defer { group.cancelAll() }
            while let end = try await group.next() {
                guard let end else { continue }
                device.leave()
                // The outbox is on disk, so nothing has to be closed; a request that the server does not answer is not
                // waited for, and tasks that still run must not meet the destructors of `exit`.
                if let code = end.exitCode { _exit(code) }
                return end
            }
            return .quit
        }
        // Only now: what still ran might have read the database.
        await client.shutDown()
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH, SIGCONT] { signal(number, SIG_DFL) }
        guard case .loggedOut(let reason) = end else { return "" }
        return reason
    }

    private func obey(_ signals: UnixSignalsSequence, _ display: ChatDisplay) async -> End? {
        for await signal in signals {
            switch signal {
            case .sigwinch: await display.resized(redraws: false)
            case .sigcont: await display.resized(redraws: true)
            case .sighup: return .signal(SIGHUP)
            case .sigint: return .signal(SIGINT)
            case .sigquit: return .signal(SIGQUIT)
            default: return .signal(SIGTERM)
            }
        }
        return nil
    }

    /// - Returns: At the end of the input the terminal is gone.
    private func read(_ keys: StandardInput, _ display: ChatDisplay) async -> End? {
        var decoder = KeyDecoder()
        while let bytes = await keys.next(within: decoder.isWaiting ? Self.escapeDelay : nil) {
            let pressed = bytes.isEmpty ? decoder.flush() : decoder.feed(bytes)
            await display.handle(pressed.map { .key($0) })
        }
        return .signal(SIGHUP)
    }

    private func showStates(on display: ChatDisplay) async -> End? {
        for await state in client.states {
            if case .loggedOut(let reason) = state { return .loggedOut(reason: session.explanation(of: reason)) }
            if let name = await client.user?.username { await display.handle([.user(name)]) }
            await display.handle([.textLimit(await client.textLimit)])
            // Before the state: that there is no conversation is known only when there was a connection.
            await display.show(await client.threads().current())
            await display.handle([await client.connectionEvent])
        }
        return nil
    }

    private func showThreads(on display: ChatDisplay) async -> End? {
        for await update in client.threads() {
            await display.show(update.items)
            await display.handle([await client.connectionEvent])
        }
        return nil
    }

    /// Looks for the users of direct threads whenever there is a connection, or a thread is new; requests may take long,
    /// so they hold up nothing else.
    private func watchPeersOnConnect(_ display: ChatDisplay) async -> End? {
        for await state in client.states where state == .connected {
            await watchPeers(of: await client.threads().current(), display)
        }
        return nil
    }

    private func watchPeersOfThreads(_ display: ChatDisplay) async -> End? {
        for await update in client.threads() where await client.state == .connected {
            await watchPeers(of: update.items, display)
        }
        return nil
    }

    /// Watches the presence of the users of direct threads. A thread names the other user, presence needs the id.
    private func watchPeers(of threads: [ChatThread], _ display: ChatDisplay) async {
        for thread in await display.withoutPeer(threads).prefix(Self.maximumPeers) {
            guard let found = try? await client.users(prefix: thread.title) else { return }
            let user = found.first { $0.username == thread.title }
            let users = await display.setPeer(user?.id ?? "", of: thread.id)
            await client.watchPresence(of: Array(users.prefix(Self.maximumPeers)))
        }
    }

    private func open(_ target: ChatTarget, on display: ChatDisplay) async -> End? {
        do {
            let thread = try await target.open(with: client, within: nil)
            await display.handle([.entered(thread: thread.rawValue)])
        } catch {
            await display.handle([.notice("\(error)")])
        }
        return nil
    }
}
