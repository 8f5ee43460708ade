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
    }
}
