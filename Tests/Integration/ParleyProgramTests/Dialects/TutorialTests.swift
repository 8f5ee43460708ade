import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The client of the Django Channels tutorial works unchanged.
    @Suite struct TutorialTests {
        @Test("two people chat: each message reaches both, the sender too, with the tutorial's fields")
        func twoPeopleChat() async throws {
            let parley = try await ParleyProcess.start()
            _ = try await TestUser.signUp("alice", port: parley.port)
            _ = try await TestUser.signUp("bob", port: parley.port)
            let alice = try await TutorialClient.start("alice", port: parley.port)
            let bob = try await TutorialClient.start("bob", port: parley.port)
            let thread = try await alice.user.join("Weekend")
            #expect(try await bob.user.join("Weekend") == thread)

            try await alice.send("Hi Bob – \"quotes\", \\ and 🎉", to: thread)
            let atAlice = try await alice.socket.nextMessage()
            let atBob = try await bob.socket.nextMessage()
            #expect(atAlice == atBob)
            #expect(atBob.text == "Hi Bob – \"quotes\", \\ and 🎉")
            #expect(atBob.senderID == alice.user.id)
            #expect(atBob.senderName == "alice")
            #expect(atBob.threadID == thread)
            #expect(abs(Double(atBob.date) - Date().timeIntervalSince1970) < 60)
            #expect(atBob.dateMilliseconds / 1000 == atBob.date)

            try await bob.send("Hi Alice", to: thread)
            let response = try await alice.socket.nextMessage()
            #expect(response.text == "Hi Alice")
            #expect(response.senderID == bob.user.id)
            #expect(response.seq == atBob.seq + 1)
            #expect(response.epoch == atBob.epoch)
        }

        @Test("the inbox has the newest activity first, the last message, and exact unread counts")
        func inbox() async throws {
            let parley = try await ParleyProcess.start()
            _ = try await TestUser.signUp("alice", port: parley.port)
            _ = try await TestUser.signUp("bob", port: parley.port)
            let alice = try await TutorialClient.start("alice", port: parley.port)
            let bob = try await TutorialClient.start("bob", port: parley.port)
            let first = try await alice.user.join("First")
            _ = try await bob.user.join("First")
            let second = try await alice.user.join("Second")
            _ = try await bob.user.join("Second")
            #expect(try await bob.user.inbox().allSatisfy { $0["last_message"] == .null && $0["unread_count"] == 0 })

            for text in ["one", "two", "three"] { try await alice.send(text, to: second) }
            try await alice.send("four", to: first)
            for _ in 0..<4 { _ = try await alice.socket.nextMessage() }

            let inbox = try await bob.user.inbox()
            #expect(inbox.map { $0["title"]?.string } == ["First", "Second"])
            #expect(inbox.map { $0["unread_count"]?.int } == [1, 3])
            #expect(inbox.map { $0["last_message"]?["text"]?.string } == ["four", "three"])
            #expect(inbox.map { $0["id"]?.string } == [first, second])
            // Sending moves one's own cursor.
            #expect(try await alice.user.inbox().map { $0["unread_count"]?.int } == [0, 0])

            try await bob.markRead(second)
            #expect(try await eventually { try await bob.user.unread(in: second) == 0 })
            #expect(try await bob.user.unread(in: first) == 1)
            _ = try await bob.user.page(of: first)
            #expect(try await eventually { try await bob.user.unread(in: first) == 0 })
        }

        @Test("paging by the oldest date skips nothing and repeats nothing, with many messages in one second")
        func pagingByDate() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            _ = try await TestUser.signUp("alice", port: parley.port)
            let alice = try await TutorialClient.start("alice", port: parley.port)
            let thread = try await alice.user.join("Long")
            var sent: [ClassicMessage] = []
            for burst in 0..<4 {
                for number in 0..<35 { try await alice.send("\(burst).\(number)", to: thread) }
                for _ in 0..<35 { sent.append(try await alice.socket.nextMessage()) }
                // The bursts have to fall into different seconds of the server's clock; there is nothing to wait for.
                try await Task.sleep(for: .milliseconds(1_050))
            }
            #expect(Set(sent.map(\.date)).count >= 4)

            let pages = try await alice.scrollToTheTop(of: thread)
            #expect(pages.count >= 2)
            #expect(pages.flatMap { $0 }.map(\.id) == sent.reversed().map(\.id))
            for (page, next) in zip(pages, pages.dropFirst()) {
                #expect(page.count >= 30)
                if let oldest = page.last?.date, let newer = next.first?.date { #expect(newer < oldest) }
            }

            // The other way: the oldest 30 after a date, newest first in the page.
            let middle = sent[0].date
            let after = try await alice.user.page(of: thread, ["after": "\(middle)"])
            let wanted = sent.filter { $0.date > middle }
            let got = after.messages.compactMap { $0["id"]?.string }
            #expect(got.reversed() == wanted.prefix(got.count).map(\.id))
            #expect(got.count >= 30)
        }

        @Test("paging by seq gives exactly 30, and `end` only when there is nothing further")
        func pagingBySeq() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket()
            let thread = try await alice.join("Long")
            var sent: [ClassicMessage] = []
            for number in 0..<65 { try await socket.say("\(number)", in: thread) }
            for _ in 0..<65 { sent.append(try await socket.nextMessage()) }

            let newest = try await alice.page(of: thread, ["before_seq": "\(sent[64].seq + 1)"])
            #expect(newest.messages.map { $0["seq"]?.int } == sent[35...64].reversed().map(\.seq))
            #expect(!newest.isEnd)
            let older = try await alice.page(of: thread, ["before_seq": "\(sent[35].seq)"])
            #expect(older.messages.map { $0["seq"]?.int } == sent[5...34].reversed().map(\.seq))
            #expect(!older.isEnd)
            let oldest = try await alice.page(of: thread, ["before_seq": "\(sent[5].seq)"])
            #expect(oldest.messages.map { $0["seq"]?.int } == sent[0...4].reversed().map(\.seq))
            #expect(oldest.isEnd)

            let up = try await alice.page(of: thread, ["after_seq": "\(sent[4].seq)"])
            #expect(up.messages.map { $0["seq"]?.int } == sent[5...34].reversed().map(\.seq))
            #expect(!up.isEnd)
            let top = try await alice.page(of: thread, ["after_seq": "\(sent[34].seq)"])
            #expect(top.messages.map { $0["seq"]?.int } == sent[35...64].reversed().map(\.seq))
            #expect(top.isEnd)
        }

        @Test("sends over the rate limit wait and keep their order; none is lost")
        func rateLimitedSendsWait() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket()
            let thread = try await alice.join("Fast")
            for number in 0..<60 { try await socket.say("\(number)", in: thread) }
            var texts: [String] = []
            for _ in 0..<60 { texts.append(try await socket.nextMessage().text) }
            #expect(texts == (0..<60).map { "\($0)" })
        }

        @Test("more waiting sends than 256 close with 1013")
        func tooManyWaitingSends() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket()
            let thread = try await alice.join("Faster")
            let frame = SocketFrame(.text, Array(#"{"message":{"id":"\#(thread)","text":"x"}}"#.utf8)).bytes()
            // The server may close before it has all of it.
            try? await socket.send(raw: Array(repeatElement(frame, count: 400).joined()))
            #expect(try await socket.closeCode() == 1013)
        }

        @Test("a message is compressed when that was agreed, and says the same")
        func compression() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Dense")
            let plain = try await alice.socket()
            let dense = try await alice.socket(offersCompression: true)
            #expect(plain.reply.header("sec-websocket-extensions") == nil)
            let agreed = try #require(dense.reply.header("sec-websocket-extensions"))
            #expect(agreed.contains("permessage-deflate"))
            #expect(agreed.contains("server_no_context_takeover"))

            let text = String(repeating: "all work and no play ", count: 150)
            let quoted = (["message": ["id": .string(thread), "text": .string(text)]] as JSONValue).text
            for _ in 0..<2 {
                var frame = SocketFrame(.text, try Deflate.compress(Array(quoted.utf8)))
                frame.isCompressed = true
                try await dense.send(frame: frame)
                #expect(try await dense.nextMessage().text == text)
                #expect(try await plain.nextMessage().text == text)
            }
        }
    }
}
