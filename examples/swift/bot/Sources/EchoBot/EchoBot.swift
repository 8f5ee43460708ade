import Foundation
import ParleyClient

/// A bot on a server: it joins a room, and answers each message that begins with its name.
///
///     PARLEY_SERVER=http://127.0.0.1:8080 BOT_NAME=echo BOT_PASSWORD='correct horse' BOT_ROOM=Garden swift run EchoBot
///
/// What it answers survives its own death: the answers are in the outbox, and how far it has read is its read cursor.
@main
struct EchoBot {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        func setting(_ name: String, _ standard: String) -> String { environment[name] ?? standard }
        guard let server = URL(string: setting("PARLEY_SERVER", "http://127.0.0.1:8080")) else { return }
        let (name, password) = (setting("BOT_NAME", "echo"), setting("BOT_PASSWORD", "correct horse"))

        let account = try ChatAccount(server: server)
        let client = try ChatClient(
            configuration: ChatConfiguration(server: server, storage: .file(setting("BOT_DATABASE", "\(name).db"))) {
                _ in
                try await account.logInOrSignUp(username: name, password: password)
            })
        await client.start()
        for await state in client.states where state == .connected { break }
        let room = try await client.joinRoom(title: setting("BOT_ROOM", "Garden"))
        try await answer(in: room, as: name, client)
    }

    /// Answers what was not read yet, and then what comes.
    static func answer(in room: ChatThread.ID, as name: String, _ client: ChatClient) async throws {
        let messages = await client.messages(in: room)
        for await update in messages {
            let read = await client.thread(room)?.readSeq ?? 0
            for message in update.items where (message.seq ?? 0) > read && message.senderName != name {
                guard let seq = message.seq, message.text.hasPrefix("\(name) ") else { continue }
                try await client.send(String(message.text.dropFirst(name.count + 1)), to: room, replyTo: seq)
            }
            if let last = update.items.last?.seq, last > read { try await client.markRead(room, upTo: last) }
        }
    }
}
