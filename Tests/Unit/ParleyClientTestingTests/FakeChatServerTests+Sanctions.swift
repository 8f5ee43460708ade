import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// Mutes and bans on the server of apps' tests.
extension FakeChatServerTests {
    private static let forbidden = ChatError.refused(code: .forbidden, message: "refused by the fake server")
    private static let missing = ChatError.refused(code: .notFound, message: "refused by the fake server")

    @Test("what a muted user sends is refused until the mute ends at its time, and can be retried then")
    func muted() async throws {
        let client = try await connected(bob)
        let messages = await client.messages(in: garden)
        server.post("Hello", from: ada, in: garden)
        server.mute(bob, in: garden, for: .seconds(10), reason: "spam")
        for await update in client.threads() where update.items.first?.mute?.reason == "spam" { break }
        #expect(await client.thread(garden)?.mute?.until == server.clock.date.addingTimeInterval(10))
        let sent = try await client.send("may not", to: garden)
        let refused = try await shown(messages) { update in
            if case .failed(.refused(.forbidden, _), _) = update.items.last?.state { true } else { false }
        }
        #expect(refused.map(\.text) == ["Hello", "may not"] && refused.last?.id == sent.id)
        advance(by: .seconds(10))
        for await update in client.threads() where update.items.first?.mute == nil { break }
        try await client.retry(sent.id, in: garden)
        _ = try await shown(messages) { $0.items.last?.text == "may not" && $0.items.last?.state == .stored }
        #expect(server.messages(in: garden).map(\.text) == ["Hello", "may not"])
    }

    @Test("a muted user changes nothing either, also after leaving and joining, until a moderator ends the mute")
    func mutedChanges() async throws {
        let client = try await connected(bob)
        let messages = await client.messages(in: garden)
        let seq = server.post("old", from: bob, in: garden)
        let old = try #require(try await shown(messages) { $0.items.last?.seq == seq }.last)
        server.mute(bob, in: garden)
        for await update in client.threads() where update.items.first?.mute == ChatMute() { break }
        try await client.edit(old.id, in: garden, text: "new")
        _ = try await shown(messages) { update in
            if case .failed(.refused(.forbidden, _)) = update.items.last?.pendingChange { true } else { false }
        }
        #expect(server.messages(in: garden).map(\.text) == ["old"])
        try await client.leave(garden)
        for await update in client.threads() where update.items.isEmpty { break }
        try await client.joinRoom(title: "Garden")
        for await update in client.threads() where update.items.first?.mute == ChatMute() { break }
        server.endMute(of: bob, in: garden)
        for await update in client.threads() where update.items.first.map({ $0.mute == nil }) == true { break }
    }

    @Test("a moderator mutes, lists and ends mutes by calls")
    func moderatedMutes() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let mute = try await hers.mute("bob", in: garden, for: .milliseconds(599_001), reason: "spam")
        #expect(mute.user.id == bob.id && mute.kind == .mute && mute.threadID == garden && mute.byUserID == ada.id)
        #expect(mute.reason == "spam" && mute.until == mute.since.addingTimeInterval(600))
        let request = try #require(server.requests.last { $0.method == "PUT" })
        #expect(request.method == "PUT" && request.url.hasSuffix("/v1/threads/\(garden)/sanctions/bob/mute"))
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"reason":"spam","seconds":600}"#)
        #expect(try await hers.sanctions(in: garden) == [mute])
        for await update in his.threads() where update.items.first?.mute?.reason == "spam" { break }
        let endless = try await hers.mute("bob", in: garden)
        #expect(endless.until == nil && endless.reason == nil)
        for await update in his.threads() where update.items.first?.mute == ChatMute() { break }
        try await hers.endMute(of: "bob", in: garden)
        for await update in his.threads() where update.items.first?.mute == nil { break }
        #expect(try await hers.sanctions(in: garden).isEmpty)
        await #expect(throws: Self.missing) { try await hers.endMute(of: "bob", in: garden) }
        await #expect(throws: ChatError.self) { try await hers.mute("bob", in: garden, for: .zero) }
        await #expect(throws: ChatError.self) {
            try await hers.mute("bob", in: garden, reason: String(repeating: "x", count: 501))
        }
        await #expect(throws: Self.missing) { try await hers.mute("zoe", in: garden) }
    }

    @Test("a banned user is removed, and can neither join nor be added until the ban ends")
    func banned() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let ban = try await hers.ban("id:\(bob.id)", in: garden, for: .seconds(10))
        #expect(ban.kind == .ban && ban.user.id == bob.id)
        for await update in his.threads() where update.items.isEmpty { break }
        #expect(try await his.joinableRooms().isEmpty)
        await #expect(throws: Self.forbidden) { try await his.joinRoom(title: "Garden") }
        await #expect(throws: Self.forbidden) { try await hers.addMember("bob", to: garden) }
        advance(by: .seconds(10))
        #expect(try await his.joinRoom(title: "Garden") == garden)
        server.ban(bob, in: garden, reason: "spam")
        for await update in his.threads() where update.items.isEmpty { break }
        #expect(try await hers.sanctions(in: garden).map(\.reason) == ["spam"])
        try await hers.endBan(of: "bob", in: garden)
        #expect(try await his.joinRoom(title: "Garden") == garden)
        server.ban(bob, in: garden)
        server.endBan(of: bob, in: garden)
        for await update in his.threads() where update.items.isEmpty { break }
        #expect(try await his.joinRoom(title: "Garden") == garden)
    }

    @Test("members do not moderate, moderators only members, and no one themselves or a direct thread")
    func rights() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let carl = server.addUser("carl")
        await #expect(throws: Self.forbidden) { try await his.sanctions(in: garden) }
        await #expect(throws: Self.forbidden) { try await his.ban("carl", in: garden) }
        server.setRole(.moderator, of: bob, in: garden)
        await #expect(throws: Self.forbidden) { try await his.mute("ada", in: garden) }
        await #expect(throws: Self.forbidden) { try await his.mute("bob", in: garden) }
        await #expect(throws: Self.forbidden) { try await hers.mute("ada", in: garden) }
        #expect(try await his.ban("carl", in: garden).user.id == carl.id)
        #expect(try await hers.mute("bob", in: garden).kind == .mute)
        let direct = try await hers.openDirect(with: bob)
        await #expect(throws: Self.forbidden) { try await hers.ban("bob", in: direct) }
    }
}
