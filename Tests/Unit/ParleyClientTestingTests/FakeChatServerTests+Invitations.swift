import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// Invitations and requests on the server of apps' tests.
extension FakeChatServerTests {
    @Test("an invited user sees the invitation and nothing else of the room, and accepts or declines it")
    func invitations() async throws {
        let attic = server.addRoom("Attic", visibility: .private, members: [ada])
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let made = try await hers.invite("bob", to: attic, for: .milliseconds(99_001), text: "We plan the feast here")
        #expect(made.user.id == bob.id && made.by.id == ada.id && made.text == "We plan the feast here")
        #expect(made.until == made.since.addingTimeInterval(100) && made.threadID == attic)
        let request = try #require(server.requests.last { $0.method == "PUT" })
        #expect(request.url.hasSuffix("/v1/threads/\(attic)/invitations/bob"))
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"seconds":100,"text":"We plan the feast here"}"#)
        #expect(try await hers.invitations(to: attic) == [made])
        let own = try #require(await his.openInvitations.first { !$0.isEmpty }?.first)
        #expect(own.threadID == attic && own.title == "Attic" && own.kind == .room && own.visibility == .private)
        #expect(own.by.id == ada.id && own.text == made.text && own.until == made.until && own.since == made.since)
        #expect(try await his.myInvitations() == [own])
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.members(of: attic) }
        #expect(try await his.acceptInvitation(to: attic) == attic)
        #expect(await his.thread(attic)?.title == "Attic")
        #expect(try await his.acceptInvitation(to: attic) == attic)
        _ = await his.openInvitations.first { $0.isEmpty }
        #expect(try await hers.invitations(to: attic).isEmpty)
        await #expect(throws: Self.refusedAs(.conflict)) { try await hers.invite("bob", to: attic) }
        await #expect(throws: Self.refusedAs(.forbidden)) { try await his.invite("ada", to: attic) }

        server.addUser("carl")
        let cellar = server.addGroup(of: [ada], title: "Cellar")
        server.invite(bob, to: cellar, by: ada)
        _ = await his.openInvitations.first { $0.map(\.threadID) == [cellar] }
        try await his.declineInvitation(to: cellar)
        _ = await his.openInvitations.first { $0.isEmpty }
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.acceptInvitation(to: cellar) }
    }

    @Test("an invitation is withdrawn, expires, and ends with a ban; what was missed offline is loaded")
    func endedInvitations() async throws {
        let attic = server.addRoom("Attic", visibility: .private, members: [ada])
        let (hers, his) = (try await connected(ada), try await connected(bob))
        server.invite(bob, to: attic, by: ada, for: .seconds(60))
        _ = await his.openInvitations.first { !$0.isEmpty }
        try await hers.withdrawInvitation(of: "bob", to: attic)
        _ = await his.openInvitations.first { $0.isEmpty }
        await #expect(throws: Self.refusedAs(.notFound)) { try await hers.withdrawInvitation(of: "bob", to: attic) }
        server.invite(bob, to: attic, by: ada, for: .seconds(60))
        advance(by: .seconds(60))
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.acceptInvitation(to: attic) }
        server.invite(bob, to: attic, by: ada)
        server.ban(bob, in: attic)
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.acceptInvitation(to: attic) }
        await #expect(throws: Self.refusedAs(.forbidden)) { try await hers.invite("bob", to: attic) }
        server.endBan(of: bob, in: attic)
        server.goOffline()
        _ = await his.states.first { if case .offline(.some) = $0 { true } else { false } }
        server.invite(bob, to: attic, by: ada, text: "again")
        server.goOnline()
        await his.networkChanged()
        _ = await his.openInvitations.first { $0.first?.text == "again" }
    }

    @Test("moderators accept and refuse requests, which tell the user nothing about the room")
    func requests() async throws {
        let attic = server.addRoom("Attic", visibility: .private, members: [ada])
        let carl = server.addUser("carl")
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let known = await hers.entranceChanges(of: attic).first { _ in true } ?? 0
        let request = try await his.requestEntrance(to: attic, text: "I grow tomatoes")
        #expect(request.threadID == attic && request.until == request.since.addingTimeInterval(30 * 86_400))
        #expect(try await his.requestEntrance(to: attic) == request)
        let nowhere = try await his.requestEntrance(to: "nowhere")
        #expect(try await his.myRequests() == [nowhere, request])
        _ = await hers.entranceChanges(of: attic).first { $0 > known }
        let seen = try await hers.entranceRequests(to: attic)
        #expect(seen == [ChatEntranceRequest(threadID: attic, user: bob, text: request.text, since: request.since)])
        #expect(try await hers.acceptRequest(of: "bob", to: attic).user.id == bob.id)
        await listed(his) { $0.contains { $0.id == attic } }
        #expect(try await his.myRequests() == [nowhere])
        try await his.withdrawRequest(to: "nowhere")
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.withdrawRequest(to: "nowhere") }
        await #expect(throws: Self.refusedAs(.conflict)) { try await his.requestEntrance(to: attic) }
        await #expect(throws: Self.refusedAs(.conflict)) { try await connected(carl).requestEntrance(to: garden) }

        server.requestEntrance(of: carl, to: attic)
        try await hers.refuseRequest(of: "carl", to: attic)
        await #expect(throws: Self.refusedAs(.notFound)) { try await hers.acceptRequest(of: "carl", to: attic) }
        let theirs = try await connected(carl)
        #expect(try await theirs.myRequests().map(\.threadID) == [attic])
        try await theirs.withdrawRequest(to: attic)
        try await theirs.requestEntrance(to: attic)
        #expect(try await hers.entranceRequests(to: attic).isEmpty)
        await #expect(throws: Self.refusedAs(.forbidden)) { try await his.entranceRequests(to: attic) }
    }
}
