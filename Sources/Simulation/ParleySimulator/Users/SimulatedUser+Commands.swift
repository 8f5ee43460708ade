import ParleyClientCore

/// The actions that a user takes.
extension SimulatedUser {
    /// - Parameter choice: chooses the thread, the message and so on.
    func perform(_ kind: Plan.Command.Kind, choice: UInt64, rooms: [String], _ milliseconds: Int64) {
        var generator = SeededGenerator(seed: choice)
        if kind == .knock {
            if let room = generator.element(of: rooms.filter({ threads[$0] == nil })) { knock(at: room) }
            return
        }
        let known = rooms.filter { threads[$0] != nil }
        guard let thread = generator.element(of: known), let state = threads[thread] else { return }
        switch kind {
        case .send: send(to: thread, wantsStored: false, milliseconds: milliseconds)
        case .sendStored: send(to: thread, wantsStored: true, milliseconds: milliseconds)
        case .read: read(thread, upTo: max(0, state.seq - generator.below(3)))
        case .edit:
            guard let message = own(in: state, &generator) else { return }
            change(.edit(thread: thread, message: message.id, text: "\(message.text) edited \(generator.below(100))"))
        case .delete:
            guard let message = own(in: state, &generator) else { return }
            change(.delete(thread: thread, message: message.id))
        case .react:
            let places = state.messages.keys.sorted()
            guard let seq = generator.element(of: places), let message = state.messages[seq] else { return }
            change(
                .react(thread: thread, message: message.id, emoji: "+1", isOn: generator.once(in: 2)))
        case .reconnect: reconnect()
        case .knock, .visibility, .rename, .mute, .suspend, .ban, .rights, .group, .invite, .request, .link, .block:
            break
        }
    }

    private func own(in state: KnownThread, _ generator: inout SeededGenerator) -> StoredMessage? {
        let places = state.messages.keys.sorted().filter {
            state.messages[$0]?.senderID == id && state.messages[$0]?.isDeleted == false
        }
        return generator.element(of: places).flatMap { state.messages[$0] }
    }

    /// The first thing that the user still waits for; `nil` if there is none.
    var unrest: String? {
        guard isConnected else { return "is not connected" }
        if let send = outbox.first(where: { !$0.isAccepted || $0.wantsStored }) {
            return "waits for \(send.isAccepted ? "`stored`" : "an answer") to \(send.clientID)"
        }
        if !requests.isEmpty {
            return "has no answer to \(requests.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })"
        }
        for (thread, known) in threads.sorted(by: { $0.key < $1.key }) {
            if !known.missing.isEmpty { return "misses \(known.missing) of \(thread)" }
            if known.isUnavailable { return "was told that \(thread) is unavailable" }
        }
        return nil
    }
}
