import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DirectSocketTests {
    @Test("the first message makes both live; it comes to all sockets of the two but the one it was sent by")
    func firstMessage() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let sender = try await node.socket(alice, "parley.direct")
            let others = [
                try await node.socket(alice, "parley.direct", offersCompression: true),
                try await node.socket(bob, "parley.direct"), try await node.socket(bob, "parley.direct"),
            ]
            let classics = [try await node.socket(alice), try await node.socket(bob, offersCompression: true)]
            for text in ["one", "two", "three"] { try await sender.write(text, to: "bob") }
            for socket in others {
                for text in ["one", "two", "three"] {
                    let message = try await socket.nextJSON()
                    #expect(message["message"]?.string == text)
                    #expect(message["fromUser"]?.string == "alice" && message["toUser"]?.string == "bob")
                }
            }
            for socket in classics {
                for text in ["one", "two", "three"] { #expect(try await socket.nextText() == text) }
            }
            try await others[1].write("four", to: "alice")
            #expect(try await sender.nextText() == "four")
            #expect(try await others[0].nextText() == "four")
            #expect(try await others[2].nextText() == "four")
            for socket in classics { #expect(try await socket.nextText() == "four") }
            #expect(others[1].received.count == 3)
            #expect(sender.received.count == 1)
        }
    }

    @Test("both write first at the same moment, and both see both")
    func crossing() async throws {
        try await Node.run { node in
            for round in 0..<10 {
                let alice = try await node.inside.person("alice\(round)")
                let bob = try await node.inside.person("bob\(round)")
                let (one, two) = (try await node.socket(alice), try await node.socket(bob))
                let (left, right) = (
                    try await node.socket(alice, "parley.direct"), try await node.socket(bob, "parley.direct")
                )
                async let first: Void = left.write("from alice", to: bob.name)
                async let second: Void = right.write("from bob", to: alice.name)
                _ = try await (first, second)
                for socket in [one, two] {
                    let texts = [try await socket.nextText(), try await socket.nextText()]
                    #expect(Set(texts) == ["from alice", "from bob"])
                }
                #expect(try await left.nextText() == "from bob")
                #expect(try await right.nextText() == "from alice")
            }
        }
    }

    @Test("an unknown user is said to the sender alone, in its place among the messages")
    func unknown() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let sender = try await node.socket(alice, "parley.direct", offersCompression: true)
            let other = try await node.socket(alice, "parley.direct")
            let peer = try await node.socket(bob, "parley.direct")
            let name = String(repeating: "n", count: 300)
            try await sender.write("hi", to: "nobody")
            try await sender.write("hi", to: name)
            try await sender.write("hi", to: "alice")
            try await sender.write("known", to: "bob")
            for unknown in ["nobody", name, "alice"] {
                #expect(
                    try await sender.nextJSON()
                        == .object(["error": .string("unknown user"), "toUser": .string(unknown)]))
            }
            #expect(try await peer.nextText() == "known")
            #expect(try await other.nextText() == "known")
            #expect(other.received.count == 1)
        }
    }
}
