import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// Links, groups and the hand-over of rooms on the server of apps' tests.
extension FakeChatServerTests {
    static func refusedAs(_ code: ServerErrorCode) -> ChatError {
        .refused(code: code, message: "refused by the fake server")
    }

    /// Waits until the list of threads is as wanted.
    func listed(_ client: ChatClient, where isWanted: ([ChatThread]) -> Bool) async {
        for await update in client.threads() where isWanted(update.items) { return }
    }

    @Test("a user joins a private room by a link, which shows the room first, and has its uses and its end")
    func links() async throws {
        let attic = server.addRoom("Attic", visibility: .private, members: [ada])
        let carl = server.addUser("carl")
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let link = try await hers.createLink(to: attic, for: .milliseconds(9_001), uses: 2)
        #expect(link.threadID == attic && link.byUserID == ada.id && link.uses == 2 && link.used == 0)
        #expect(link.until == link.since.addingTimeInterval(10))
        let request = try #require(server.requests.last)
        #expect(request.method == "POST" && request.url.hasSuffix("/v1/threads/\(attic)/links"))
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"seconds":10,"uses":2}"#)
        let code = try #require(link.code)
        #expect(
            try await his.link(code)
                == ChatLinkTarget(title: "Attic", kind: .room, visibility: .private, memberCount: 1))
        #expect(try await his.joinLink(code) == attic)
        #expect(await his.thread(attic)?.title == "Attic")
        #expect(try await his.joinLink(code) == attic)
        let own = try await his.link(code)
        #expect(own.threadID == attic && own.isMember)
        let known = try #require(try await hers.links(to: attic).first)
        #expect(known.id == link.id && known.code == nil && known.used == 1)
        advance(by: .seconds(10))
        #expect(try await hers.links(to: attic).isEmpty)
        let late = try await connected(carl)
        await #expect(throws: Self.refusedAs(.notFound)) { try await late.joinLink(code) }
    }

    @Test("a link is revoked, a used up one admits no further user, and a banned user does not join")
    func endedLinks() async throws {
        let carl = server.addUser("carl")
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let third = try await connected(carl)
        let code = server.addLink(to: garden, uses: 1)
        server.ban(carl, in: garden)
        await #expect(throws: Self.refusedAs(.forbidden)) { try await third.joinLink(code) }
        server.endBan(of: carl, in: garden)
        #expect(try await third.joinLink(code) == garden)
        try await his.leave(garden)
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.joinLink(code) }
        let link = try await hers.createLink(to: garden)
        #expect(link.until == nil && link.uses == nil)
        try await hers.revokeLink(link.id, to: garden)
        await #expect(throws: Self.refusedAs(.notFound)) { try await hers.revokeLink(link.id, to: garden) }
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.link(link.code ?? "") }
        await #expect(throws: Self.refusedAs(.forbidden)) { try await third.createLink(to: garden) }
        await #expect(throws: Self.refusedAs(.forbidden)) { try await third.links(to: garden) }
        await #expect(throws: Self.refusedAs(.badRequest)) { try await hers.createLink(to: garden, uses: 0) }
    }

    @Test("a group has the names of its members until it has a title, which no room has to be free for")
    func groups() async throws {
        let carl = server.addUser("carl")
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let group = try await hers.createGroup(of: ["bob"])
        let made = await hers.thread(group)
        #expect(made?.kind == .group && made?.visibility == .private)
        for client in [hers, his] { await listed(client) { $0.contains { $0.id == group && $0.title == "ada, bob" } } }
        try await hers.addMember("carl", to: group)
        for client in [hers, his] {
            await listed(client) { $0.contains { $0.id == group && $0.title == "ada, bob, carl" } }
        }
        server.remove(carl, from: group)
        await listed(his) { $0.contains { $0.id == group && $0.title == "ada, bob" } }
        try await hers.rename(group, to: "Garden")
        await listed(his) { $0.contains { $0.id == group && $0.title == "Garden" } }
        let other = try await hers.createGroup(of: ["id:\(bob.id)", "carl"], title: "Garden")
        #expect(other != group && other != garden)
        await #expect(throws: Self.refusedAs(.notFound)) { try await hers.createGroup(of: ["bob", "zoe"]) }
        await #expect(throws: Self.refusedAs(.badRequest)) { try await hers.createGroup(of: []) }
        await #expect(throws: Self.refusedAs(.badRequest)) { try await hers.setVisibility(.public, of: group) }
        #expect(try await his.joinRoom(title: "Garden") == garden)
        #expect(server.addGroup(of: [ada, bob], title: "Feast") != other)
    }

    @Test("an owner hands a room over to another member, and is a moderator then")
    func owner() async throws {
        server.addUser("carl")
        let (hers, his) = (try await connected(ada), try await connected(bob))
        await #expect(throws: Self.refusedAs(.forbidden)) { try await his.setOwner("ada", of: garden) }
        await #expect(throws: Self.refusedAs(.conflict)) { try await hers.setOwner("ada", of: garden) }
        await #expect(throws: Self.refusedAs(.notFound)) { try await hers.setOwner("carl", of: garden) }
        #expect(try await hers.setOwner("bob", of: garden) == ChatMember(user: bob, role: .owner))
        await listed(hers) { $0.first?.role == .moderator }
        await listed(his) { $0.first?.role == .owner }
    }
}
