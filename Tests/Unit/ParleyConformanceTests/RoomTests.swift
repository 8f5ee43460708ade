import ParleyConformance
import ParleyModel
import ParleyWire
import Testing

/// The rules of the protocol that servers of tests are made of.
@Suite struct RoomTests {
    private static let alice = User(id: UserID(trusted: "a"), name: "alice")
    private static let bob = User(id: UserID(trusted: "b"), name: "bob")

    private func room(_ count: Int, stored: Int64? = nil) -> Room {
        var room = Room(id: ThreadID(trusted: "t"), title: "T", epoch: "e")
        for number in 0..<count { _ = room.append("\(number)", by: Self.bob, milliseconds: 1) }
        room.store(through: stored)
        return room
    }

    private func position(_ epoch: String, _ seq: Int64) -> Position { Position(epoch: Epoch(epoch), seq: seq) }

    @Test("a repeat gets the first receipt, unless what it repeats is lost")
    func repeats() {
        var room = room(2)
        let send = V1Send(thread: room.id, text: "x", clientID: "c")
        #expect(!room.accept(send, by: Self.alice, milliseconds: 1).isRepeat)
        let second = room.accept(send, by: Self.alice, milliseconds: 2)
        #expect(second.isRepeat && second.position.seq == 3 && second.milliseconds == 1)
        #expect(!room.accept(send, by: Self.bob, milliseconds: 1).isRepeat && room.head == 4)
        room.rollBack()
        let third = room.accept(send, by: Self.alice, milliseconds: 3)
        #expect(!third.isRepeat && third.position == position("ex", 3))
    }

    @Test("a client continues where it is, or is told what is void since its epoch")
    func resumptions() {
        var room = room(6, stored: 4)
        let epoch = Epoch("e")
        #expect(room.resumption(at: position("e", 6)) == V1Resumption(.live, epoch: epoch, from: 7, to: 6))
        #expect(room.resumption(at: position("e", 2)) == V1Resumption(.replayed, epoch: epoch, from: 3, to: 6))
        room.rollBack()
        #expect(room.rollback == V1Resumption(.rolledBack, epoch: Epoch("ex"), from: 5, to: 6))
        for number in 5...9 { _ = room.append("\(number)", by: Self.bob, milliseconds: 1) }
        room.store(through: 7)
        room.rollBack()
        #expect(room.rollback == V1Resumption(.rolledBack, epoch: Epoch("exx"), from: 8, to: 9))
        #expect(
            room.resumption(at: position("e", 6)) == V1Resumption(.rolledBack, epoch: Epoch("exx"), from: 5, to: 6))
        #expect(
            room.resumption(at: position("ex", 9)) == V1Resumption(.rolledBack, epoch: Epoch("exx"), from: 8, to: 9))
        #expect(room.resumption(at: position("", 0)).state == .replayed)
    }

    @Test("messages and edits are read back in their current state, also after a loss of what has changed them")
    func states() throws {
        var room = room(2)
        let ids = try (1...2).map { try #require(room.messages[$0]?.id) }
        let edit = MessageEdit(messageID: ids[0], messageSeq: 1, text: "new", by: Self.bob.id)
        room.append(.edited(edit), milliseconds: 5)
        room.append(
            .reaction(Reaction(messageID: ids[1], messageSeq: 2, user: Self.bob.id, emoji: "A", isOn: true)),
            milliseconds: 6)
        #expect(room.event(1)?.message?.text == "new" && room.event(1)?.message?.status.editedMilliseconds == 5)
        #expect(room.event(2)?.message?.status.reactions.map(\.users) == [[Self.bob.id]])
        room.append(.deleted(MessageDeletion(messageID: ids[0], messageSeq: 1, by: Self.bob.id)), milliseconds: 7)
        #expect(room.event(1)?.message?.isDeleted == true)
        #expect(
            room.event(3)?.body == .edited(MessageEdit(messageID: ids[0], messageSeq: 1, text: "", by: Self.bob.id)))
        room.rollBack()
        #expect(room.event(1)?.message?.text == "0" && room.event(2)?.message?.status.reactions == [])
    }
}
