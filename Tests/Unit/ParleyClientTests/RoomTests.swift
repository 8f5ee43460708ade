import Foundation
import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Testing

/// The state of rooms, slow mode, blocks and entrances in the client's rules.
@Suite struct RoomTests {
    private typealias H = MachineHarness

    private func room(_ fields: String, in thread: String = "t") -> String {
        #"{"type":"room","thread_id":"\#(thread)","room":\#(fields)}"#
    }

    @Test("a state of a room replaces an older one, is stored, and one of an unknown thread is not")
    func states() {
        var client = H()
        client.connect()
        let first = client.receive(room(#"{"topic":"Planting","rights":{"write":"moderators"},"changes":4}"#))
        #expect(first.isListChanged)
        let stored = client.storage.load().threads.first?.room
        #expect(stored?.topic == "Planting" && stored?.moderatorRights == ["write"] && stored?.changes == 4)
        let older = client.receive(room(#"{"topic":"Old","changes":3}"#))
        let unknown = client.receive(room("{}", in: "x"))
        #expect(!older.isListChanged && !unknown.isListChanged && client.core.threads["t"]?.room == stored)
        client.receive(room(#"{"archived":true,"picture":"f1","changes":5}"#))
        let archived = client.core.threads["t"]?.room
        #expect(archived?.isArchived == true && archived?.topic == nil && archived?.picture == "f1")
        let copy = archived.flatMap { ServerFrame.RoomFields($0.json) }
        #expect(copy == archived)
    }

    @Test("a refusal of slow mode holds up one thread, until its end or another state of the room")
    func slowMode() {
        var client = H()
        client.connect(other: 0)
        client.handle(.send(ChatDraft("one"), thread: "t", id: "1", files: []))
        let refusal = { (ref: Int64) in
            #"{"type":"error","ref":\#(ref),"code":"rate_limited","message":"slow mode: wait","retryable":true,"#
                + #""retry_after_ms":30000}"#
        }
        client.receive(refusal(client.ref("message")))
        client.handle(.send(ChatDraft("two"), thread: "u", id: "2", files: []))
        #expect(client.sent == ["one", "two"])
        #expect(client.core.slow.waits["t"]?.end == client.uptime + .seconds(30))
        client.receive(client.ack(seq: 1))
        client.uptime += .seconds(29)
        client.handle(.tick)
        client.receive(#"{"type":"pong"}"#)
        #expect(client.sent == ["one", "two"])
        client.uptime += .seconds(1)
        let ended = client.handle(.tick)
        #expect(client.sent == ["one", "two", "one"] && ended.isListChanged && client.core.slow.waits.isEmpty)
        client.receive(refusal(client.ref("message")))
        client.receive(room(#"{"slow_mode_seconds":1,"changes":1}"#))
        #expect(client.sent == ["one", "two", "one", "one"])
    }

    @Test("blocks are those of hello and of the latest frame, and are stored")
    func blocks() {
        var client = H()
        client.connect()
        let begun = client.receive(#"{"type":"blocks","blocks":["c","b"]}"#)
        #expect(begun.isBlocksChanged && client.core.blocks == ["b", "c"])
        #expect(client.storage.load().blocks == ["b", "c"])
        let repeated = client.receive(#"{"type":"blocks","blocks":["b","c"]}"#)
        #expect(!repeated.isBlocksChanged && repeated.changes.isEmpty)
        client.reconnect()
        #expect(client.core.blocks.isEmpty && client.storage.load().blocks.isEmpty)
    }

    @Test("blocks survive a restart in a database")
    func storedBlocks() throws {
        let directory = try TemporaryDirectory()
        let storage = try SQLiteStorage(path: directory.path + "/chat.db")
        try storage.apply([.blocks(["b", "c"])])
        try storage.apply([.blocks(["c"])])
        storage.close()
        let other = try SQLiteStorage(path: directory.path + "/chat.db")
        #expect(try other.load().blocks == ["c"])
        try other.apply([.clear])
        #expect(try other.load().blocks.isEmpty)
        other.close()
    }

    @Test("the frame entrances names the user's invitations, or a known thread")
    func entrances() {
        var client = H()
        client.connect()
        let own = client.receive(#"{"type":"entrances"}"#)
        #expect(own.isInvitationsChanged && own.entrances.isEmpty)
        let thread = client.receive(#"{"type":"entrances","thread_id":"t"}"#)
        #expect(!thread.isInvitationsChanged && thread.entrances == ["t"])
        #expect(client.receive(#"{"type":"entrances","thread_id":"x"}"#).entrances.isEmpty)
    }
}
