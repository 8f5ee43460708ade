import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// Details of rooms, slow mode and blocks on the server of apps' tests.
extension FakeChatServerTests {
    @Test("moderators change topic, texts and slow mode, and the owner archive and rights; members get the new state")
    func details() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let change = ChatRoomChange(
            topic: "Planting", description: "All about beds", rules: "Be kind.", slowSeconds: 30, attach: .moderators)
        let details = try await hers.changeRoom(garden, change)
        #expect(details.description == "All about beds" && details.rules == "Be kind." && details.room.changes == 1)
        let request = try #require(server.requests.last { $0.method == "PATCH" })
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"description":"All about beds","rights":{"attach":"moderators"},"rules":"Be kind.",\
                "slow_mode_seconds":30,"topic":"Planting"}
                """)
        let room = ChatRoom(
            topic: "Planting", slowSeconds: 30, rights: ChatRights(attach: .moderators), changes: 1)
        for client in [hers, his] { await listed(client) { $0.first?.room == room } }
        #expect(details.room == room)
        #expect(try await his.roomDetails(of: garden) == details)
        await #expect(throws: Self.refusedAs(.forbidden)) {
            try await his.changeRoom(garden, ChatRoomChange(topic: "Mine"))
        }
        server.setRole(.moderator, of: bob, in: garden)
        let second = try await his.changeRoom(garden, ChatRoomChange(topic: "", slowSeconds: 0))
        #expect(second.room.topic == nil && second.room.slowSeconds == 0 && second.rules == "Be kind.")
        #expect(try await his.changeRoom(garden, ChatRoomChange(picture: "f1")).room.picture == "f1")
        for client in [hers, his] { await listed(client) { $0.first?.room.picture == "f1" } }
        #expect(try await his.changeRoom(garden, ChatRoomChange(picture: "")).room.picture == nil)
        await #expect(throws: Self.refusedAs(.forbidden)) {
            try await his.changeRoom(garden, ChatRoomChange(isArchived: true))
        }
        await #expect(throws: Self.refusedAs(.badRequest)) {
            try await hers.changeRoom(garden, ChatRoomChange(slowSeconds: 21_601))
        }
    }

    @Test("a thread says why the user may not write: archived, only for moderators, read-only, muted")
    func hindrances() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        #expect(await his.thread(garden)?.hindrance == nil)
        server.changeRoom(garden, ChatRoomChange(write: .moderators))
        await listed(his) { $0.first?.hindrance == .moderators }
        await listed(hers) { $0.first?.room.rights.write == .moderators && $0.first?.hindrance == nil }
        let sent = try await his.send("may not", to: garden)
        let messages = await his.messages(in: garden)
        _ = try await shown(messages) { update in
            if case .failed(.refused(.forbidden, _), _) = update.items.last?.state { true } else { false }
        }
        server.changeRoom(garden, ChatRoomChange(write: .everyone))
        await listed(his) { $0.first.map { $0.hindrance == nil } == true }
        try await his.retry(sent.id, in: garden)
        _ = try await shown(messages) { $0.items.last?.state == .stored }
        server.mute(bob, in: garden, reason: "spam")
        await listed(his) { $0.first?.hindrance == .muted(ChatMute(reason: "spam")) }
        server.endMute(of: bob, in: garden)
        server.setRole(.readOnly, of: bob, in: garden)
        await listed(his) { $0.first?.hindrance == .readOnly }
        try await hers.changeRoom(garden, ChatRoomChange(isArchived: true))
        for client in [hers, his] { await listed(client) { $0.first?.hindrance == .archived } }
    }

    @Test("in slow mode the next message waits for its turn, and messages to other rooms do not")
    func slowMode() async throws {
        let kitchen = server.addRoom("Kitchen", members: [ada, bob])
        server.changeRoom(garden, ChatRoomChange(slowSeconds: 30))
        let his = try await connected(bob)
        let messages = await his.messages(in: garden)
        try await his.send("one", to: garden)
        await listed(his) { $0.contains { $0.id == garden && $0.slowUntil != nil } }
        #expect(await his.thread(garden)?.slowUntil == server.clock.date.addingTimeInterval(30))
        try await his.send("two", to: garden)
        try await his.send("elsewhere", to: kitchen)
        _ = try await shown(await his.messages(in: kitchen)) { $0.items.last?.state == .stored }
        #expect(server.messages(in: garden).map(\.text) == ["one"])
        #expect(await his.pendingCount(in: garden) == 1)
        advance(by: .seconds(30))
        _ = try await shown(messages) { $0.items.last?.text == "two" && $0.items.last?.state == .stored }
        #expect(server.messages(in: garden).map(\.text) == ["one", "two"])
        try await his.send("three", to: garden)
        server.changeRoom(garden, ChatRoomChange(slowSeconds: 0))
        await listed(his) { $0.contains { $0.id == garden && $0.room.slowSeconds == 0 && $0.slowUntil == nil } }
        _ = try await shown(messages) { $0.items.last?.text == "three" && $0.items.last?.state == .stored }
    }

    @Test("a block ends direct messages, additions and presence either way, and its list is live")
    func blocks() async throws {
        let direct = server.addDirect(ada, bob)
        let attic = server.addRoom("Attic", visibility: .private, members: [ada])
        let (hers, his) = (try await connected(ada), try await connected(bob))
        await his.watchPresence(of: [ada.id])
        _ = await his.presence.first { [ada] in $0[ada.id]?.isOnline == true }
        let block = try await hers.block("bob")
        #expect(block.user.id == bob.id)
        #expect(try await hers.myBlocks() == [block])
        _ = await hers.blocks.first { [bob] in $0 == [bob.id] }
        for client in [hers, his] {
            await listed(client) { $0.contains { $0.id == direct && $0.hindrance == .blocked } }
        }
        _ = await his.presence.first { [ada] in $0[ada.id]?.isOnline == false }
        #expect(await his.blocks.first { _ in true }?.isEmpty == true)
        await #expect(throws: Self.refusedAs(.forbidden)) { try await hers.addMember("bob", to: attic) }
        await #expect(throws: Self.refusedAs(.forbidden)) { try await hers.invite("bob", to: attic) }
        await #expect(throws: Self.refusedAs(.badRequest)) { try await hers.block("ada") }
        try await hers.unblock("bob")
        _ = await hers.blocks.first { $0.isEmpty }
        await listed(his) { $0.contains { $0.id == direct && $0.hindrance == nil } }
        server.block(ada, by: bob)
        _ = await his.blocks.first { [ada] in $0 == [ada.id] }
        server.unblock(ada, by: bob)
        _ = await his.blocks.first { $0.isEmpty }
    }
}
