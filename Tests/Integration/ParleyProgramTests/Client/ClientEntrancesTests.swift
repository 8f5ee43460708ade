import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// ParleyClient with a real server: the ways into rooms.
    @Suite(.timeLimit(.minutes(5))) struct ClientEntrancesTests {
        @Test("links lead into a private room, a group has the names of its members, and a room gets another owner")
        func linksAndGroups() async throws {
            let server = try await ParleyProcess.start()
            let alice = try await ClientPerson.signUp("alice", port: server.port).connected()
            let bob = try await ClientPerson.signUp("bob", port: server.port).connected()
            let attic = try await alice.joinRoom(title: "Attic", visibility: .private)
            let link = try await alice.createLink(to: attic, for: .seconds(600), uses: 1)
            let code = try #require(link.code)
            #expect(link.until == link.since.addingTimeInterval(600) && link.uses == 1)
            let target = try await bob.link(code)
            #expect(target == ChatLinkTarget(title: "Attic", kind: .room, visibility: .private, memberCount: 1))
            #expect(try await bob.joinLink(code) == attic)
            #expect(await bob.thread(attic)?.title == "Attic")
            #expect(try await bob.joinLink(code) == attic)
            #expect(try await alice.links(to: attic).isEmpty)
            let other = try await alice.createLink(to: attic)
            #expect(try await alice.links(to: attic).map(\.id) == [other.id])
            try await alice.revokeLink(other.id, to: attic)
            await #expect(throws: ChatError.self) { try await bob.link(other.code ?? "") }

            let group = try await alice.createGroup(of: ["bob"])
            // They are in the order of the IDs.
            let names: Set<String> = ["alice, bob", "bob, alice"]
            #expect(try await eventually { names.contains(await bob.thread(group)?.title ?? "") })
            #expect(await bob.thread(group)?.kind == .group)
            try await bob.leave(group)
            #expect(try await eventually { await alice.thread(group)?.title == "alice" })

            #expect(try await alice.setOwner("bob", of: attic).role == .owner)
            #expect(try await eventually { await bob.thread(attic)?.role == .owner })
            #expect(try await eventually { await alice.thread(attic)?.role == .moderator })
        }

        @Test("a user accepts one invitation and declines another, and moderators accept a request")
        func invitationsAndRequests() async throws {
            let server = try await ParleyProcess.start()
            let alice = try await ClientPerson.signUp("alice", port: server.port).connected()
            let bob = try await ClientPerson.signUp("bob", port: server.port).connected()
            let attic = try await alice.joinRoom(title: "Attic", visibility: .private)
            let cellar = try await alice.joinRoom(title: "Cellar", visibility: .private)
            let open = bob.openInvitations
            let made = try await alice.invite("bob", to: attic, for: .seconds(600), text: "The feast")
            try await alice.invite("bob", to: cellar)
            #expect(try await eventually { await open.first { _ in true }?.count == 2 })
            let own = try #require(try await bob.myInvitations().first { $0.threadID == attic })
            #expect(own.title == "Attic" && own.by.username == "alice" && own.text == "The feast")
            #expect(own.until == made.until && made.until == made.since.addingTimeInterval(600))
            #expect(try await alice.invitations(to: attic) == [made])
            #expect(try await bob.acceptInvitation(to: attic) == attic)
            try await bob.declineInvitation(to: cellar)
            #expect(try await eventually { await open.first { _ in true }?.isEmpty == true })

            let changes = alice.entranceChanges(of: cellar)
            let known = await changes.first { _ in true } ?? 0
            let request = try await bob.requestEntrance(to: cellar, text: "Me too")
            #expect(try await bob.myRequests() == [request])
            #expect(try await eventually { await changes.first { _ in true } ?? 0 > known })
            let asking = try await alice.entranceRequests(to: cellar)
            #expect(asking.map(\.user.username) == ["bob"] && asking.first?.text == "Me too")
            #expect(try await alice.acceptRequest(of: "bob", to: cellar).role == .member)
            #expect(try await eventually { await bob.thread(cellar) != nil })
            #expect(try await bob.myRequests().isEmpty)
        }

        @Test("details, slow mode and blocks reach the other client, which sees why and until when it may not write")
        func detailsAndBlocks() async throws {
            let server = try await ParleyProcess.start()
            let alice = try await ClientPerson.signUp("alice", port: server.port).connected()
            let bob = try await ClientPerson.signUp("bob", port: server.port).connected()
            let garden = try await alice.joinRoom(title: "Garden")
            try await bob.joinRoom(title: "Garden")
            let change = ChatRoomChange(topic: "Planting", rules: "Be kind.", slowSeconds: 600, attach: .moderators)
            let details = try await alice.changeRoom(garden, change)
            #expect(details.rules == "Be kind." && details.room.slowSeconds == 600)
            #expect(try await eventually { await bob.thread(garden)?.room == details.room })
            #expect(details.room.topic == "Planting" && details.room.rights == ChatRights(attach: .moderators))
            let messages = await bob.messages(in: garden)
            try await bob.send("one", to: garden)
            #expect(try await eventually { await bob.thread(garden)?.slowUntil != nil })
            try await bob.send("two", to: garden)
            let direct = try await bob.openDirect(with: "alice")
            try await bob.send("elsewhere", to: direct)
            #expect(try await eventually { await bob.pendingCount(in: direct) == 0 })
            #expect(await bob.pendingCount(in: garden) == 1)
            try await alice.changeRoom(garden, ChatRoomChange(slowSeconds: 0))
            _ = try await messages.first { $0.items.last?.text == "two" && $0.items.last?.state == .stored }
            try await alice.changeRoom(garden, ChatRoomChange(isArchived: true))
            #expect(try await eventually { await bob.thread(garden)?.hindrance == .archived })

            let block = try await alice.block("bob")
            #expect(try await alice.myBlocks() == [block])
            let bobID = try #require(await bob.user?.id)
            #expect(try await eventually { await alice.blocks.first { _ in true } == [bobID] })
            #expect(try await eventually { await bob.thread(direct)?.hindrance == .blocked })
            try await alice.unblock("bob")
            #expect(try await eventually { await alice.blocks.first { _ in true }?.isEmpty == true })
            #expect(try await eventually { await bob.thread(direct)?.hindrance == nil })
        }
    }
}
