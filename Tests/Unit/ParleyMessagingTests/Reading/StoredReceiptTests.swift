import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import Testing

@Suite struct StoredReceiptTests {
    @Test("a repeat whose first event was moved is found where the message is stored, and only there")
    func moved() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let message = Message(
                id: MessageID(trusted: "m-1"), sender: ann, text: "hello", clientID: "c")
            let draft = EventDraft(thread: room, body: .message(message))
            let first = try await fixture.memory.append(draft)
            var former = first
            former.position = Position(epoch: Epoch("ended"), seq: first.position.seq + 7)
            former.isRepeat = true
            #expect(try await messaging.stored([first, former]).isEmpty)
            try await fixture.persist()
            let stored = try await messaging.stored([first, former])
            #expect(
                stored == [
                    StoredReceipt(first, at: first.position), StoredReceipt(former, at: first.position),
                ])
            // The sender of a first event is told that its epoch has ended.
            former.isRepeat = false
            #expect(try await messaging.stored([former]).isEmpty)
        }
    }
}
