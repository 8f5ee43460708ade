import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

extension ProgramTests {
    /// Twenty members, five thousand messages from all sides, and a crash in the middle.
    @Suite struct LoadTests {
        @Test("every member gets each of 5,000 messages exactly once and in the order of seq")
        func exactlyOnceInOrder() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let population = try await UserPopulation.gather(20, in: "UserPopulation", port: parley.port)
            let received = try await population.talk(each: 250)

            let reference = received[0]
            #expect(reference.count == 5_000)
            #expect(Set(reference.map(\.id)).count == 5_000)
            // Nothing but messages enters the log meanwhile, so their numbers have no gap.
            let first = try #require(reference.first?.seq)
            #expect(reference.map(\.seq) == Array(first..<(first + 5_000)))
            #expect(zip(reference, reference.dropFirst()).allSatisfy { $0.dateMilliseconds <= $1.dateMilliseconds })
            for (index, messages) in received.enumerated() { #expect(messages == reference, "member \(index)") }
            for member in population.members {
                let own = reference.filter { $0.senderID == member.user.id }.map(\.text)
                #expect(own == (0..<250).map { "\(member.user.name)/\($0)" })
            }

            for member in population.members {
                let unread = try await member.user.unread(in: population.thread)
                #expect(unread == population.expectedUnread(of: member.user, in: reference))
            }
            let history = try await population.members[0].user.history(of: population.thread)
            #expect(history.reversed().map { $0["id"]?.string } == reference.map(\.id))
        }

        @Test("after kill -9 in the middle, history has all that its senders got back, no doubles, and exact counts")
        func killedInTheMiddle() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let population = try await UserPopulation.gather(20, in: "UserPopulation", port: parley.port)
            let count = Mutex(0)
            let crash = Mailbox<Void>(of: "moment for the crash")
            async let killed: Void = {
                _ = try await crash.take(within: .seconds(60))
                try await parley.kill()
            }()
            let received = try await population.talk(each: 250) { member, message in
                // Counted at the first member only, so that it is a number of messages.
                guard member == 0 else { return }
                let isMoment = count.withLock { count in
                    count += 1
                    return count == 1_500
                }
                if isMoment { crash.put(()) }
            }
            try await killed
            try #require(received.allSatisfy { $0.count < 5_000 }, "the crash came too late")

            try await parley.restart()
            let reader = population.members[0].user
            let history = try await reader.history(of: population.thread).reversed().map {
                try ClassicMessage(parsing: $0.text)
            }
            let byID = Dictionary(history.map { ($0.id, $0) }) { one, _ in one }
            #expect(byID.count == history.count)
            #expect(
                zip(history, history.dropFirst()).allSatisfy {
                    $0.seq < $1.seq && $0.dateMilliseconds <= $1.dateMilliseconds
                })
            #expect(Set(history.map(\.text)).count == history.count)
            for (member, messages) in zip(population.members, received) {
                let got = messages.filter { $0.senderID == member.user.id }
                #expect(!got.isEmpty)
                #expect(got.allSatisfy { byID[$0.id]?.text == $0.text && byID[$0.id]?.seq == $0.seq })
                // What others got is not promised in other dialects, but here nothing is sent on before it is stored.
                #expect(messages.allSatisfy { byID[$0.id] != nil })
                // Each sender's messages are a beginning of what it sent, in its order.
                let stored = history.filter { $0.senderID == member.user.id }.map(\.text)
                #expect(stored == (0..<stored.count).map { "\(member.user.name)/\($0)" })
            }
            for member in population.members.dropFirst() {
                let unread = try await member.user.unread(in: population.thread)
                #expect(unread == population.expectedUnread(of: member.user, in: history))
            }
            // Reading the history marked it read.
            #expect(try await reader.unread(in: population.thread) == 0)

            // And it goes on, above everything that was.
            let socket = try await reader.socket()
            try await socket.say("after the crash", in: population.thread)
            let next = try await socket.nextMessage()
            let last = try #require(history.last)
            #expect(next.epoch != last.epoch || next.seq > last.seq)
        }
    }
}
