import Foundation
import ParleyClient
import ParleyTerminal

/// Owns the screen: events change it, what differs is drawn, and effects are handed on.
actor ChatDisplay {
    private var screen: ChatScreen
    private var painter: Painter
    private let device: TerminalDevice
    private let effects: EffectQueue
    private let quit: AsyncStream<Never>.Continuation
    private var threads: [ChatThread] = []
    private var presence: [ChatUser.ID: ChatPresence] = [:]
    /// The other users of direct threads, by thread; empty if there is none.
    private var peers: [ChatThread.ID: ChatUser.ID] = [:]

    /// - Parameter quit: Finished when the user quits.
    init(
        screen: ChatScreen, hasColors: Bool, device: TerminalDevice, effects: EffectQueue,
        quit: AsyncStream<Never>.Continuation
    ) {
        self.quit = quit
        self.screen = screen
        self.device = device
        self.effects = effects
        painter = Painter(hasColors: hasColors)
    }

    func handle(_ events: [ScreenEvent]) {
        for event in events {
            for effect in screen.handle(event) {
                switch effect {
                case .redraw: painter.reset()
                case .suspend: suspend()
                case .quit: quit.finish()
                default: if let notice = effects.add(effect) { _ = screen.handle(notice) }
                }
            }
        }
        draw()
    }

    func resized(redraws: Bool) {
        if redraws { painter.reset() }
        let size = device.size
        handle([.resized(columns: size.columns, rows: size.rows)])
    }

    private func draw() { device.draw(painter.paint(screen.frame)) }

    /// Stops the process as Ctrl-Z does; returns when it continues.
    private func suspend() {
        device.leave()
        TerminalDevice.stopProcess()
        try? device.enter()
        painter.reset()
        let size = device.size
        _ = screen.handle(.resized(columns: size.columns, rows: size.rows))
    }

    // MARK: Conversations

    func show(_ threads: [ChatThread]) {
        self.threads = threads
        handle([.threads(shown)])
    }

    func show(_ presence: [ChatUser.ID: ChatPresence]) {
        self.presence = presence
        handle([.threads(shown)])
    }

    /// The direct threads whose other user was not looked up.
    func withoutPeer(_ threads: [ChatThread]) -> [ChatThread] {
        threads.filter { $0.kind == .direct && peers[$0.id] == nil }
    }

    /// - Returns: All users whose presence is shown.
    func setPeer(_ user: ChatUser.ID, of thread: ChatThread.ID) -> [ChatUser.ID] {
        peers[thread] = user
        return Set(peers.values).subtracting([""]).sorted()
    }

    /// The conversations, archived rooms last.
    private var shown: [ShownThread] {
        let listed = threads.filter { !$0.room.isArchived } + threads.filter(\.room.isArchived)
        return listed.map { thread in
            let presence = peers[thread.id].flatMap { self.presence[$0] }
            return ShownThread(
                id: thread.id.rawValue, title: thread.title, isDirect: thread.kind == .direct, unread: thread.unread,
                readSeq: thread.readSeq, typing: thread.typing.map { $0.displayName ?? $0.username },
                receipts: thread.receipts.values.map(\.seq), isOnline: presence?.isOnline,
                lastSeen: presence?.lastSeen.map { LocalTime($0) }, mute: thread.mute.map { ShownMute($0) },
                hindrance: thread.shownHindrance, topic: thread.room.topic,
                slowUntil: thread.slowUntil.map { LocalTime($0) })
        }
    }
}
