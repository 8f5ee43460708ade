import ParleyModel
import Testing

@Suite("Kinds of events that a reader asks for")
struct EventKindsTests {
    @Test("are named, and the audit log is among them only by its name or by all")
    func names() throws {
        #expect(EventKinds().log == nil && EventKinds().rows.isEmpty && EventKinds().names == nil)
        let some = try #require(EventKinds(names: ["message", "audit", "joined", "audit"]))
        #expect(some == EventKinds(log: [.message, .joined], rows: [.audit]))
        #expect(some.names == ["audit", "joined", "message"])
        #expect(EventKinds(names: ["audit"]) == EventKinds(log: [], rows: [.audit]))
        #expect(EventKinds(names: ["message"])?.names == ["message"])
        for names in [["all"], ["all", "message"], ["audit", "all"]] {
            #expect(EventKinds(names: names)?.names == ["all"])
        }
        #expect(EventKinds(names: ["unseen", "message"]) == EventKinds(log: [.message], rows: [.unseen]))
        #expect(EventKinds(names: ["all"])?.rows == [.audit, .unseen])
        let rows = EventKinds(log: nil, rows: [.audit])
        let names = try #require(rows.names)
        #expect(EventKinds(names: names) == EventKinds(log: Set(LogEvent.Kind.allCases), rows: [.audit]))
        for wrong in ["", "Message", "everything"] { #expect(EventKinds(names: ["message", wrong]) == nil) }
    }

    @Test("settings of a webhook keep them", arguments: [nil, ["all"], ["audit"], ["audit", "message"], ["edited"]])
    func webhooks(names: [String]?) throws {
        var settings = WebhookSettings(url: "https://shop.example/", secrets: ["s"])
        settings.eventKinds = try #require(names.map { EventKinds(names: $0) } ?? EventKinds())
        let stored = try WebhookSettings(stored: settings.stored)
        #expect(stored == settings && stored.eventKinds.names == names)
        #expect(stored.query.rows.contains(.audit) == (names?.contains("audit") == true || names == ["all"]))
    }

    @Test("the ID of an unseen message names the recipient and the message, and is that of no other event")
    func unseenIDs() throws {
        let id = UnseenMessage.ID(
            user: UserID(trusted: "u1"), thread: ThreadID(trusted: "t"), position: Position(epoch: Epoch("e"), seq: 7))
        #expect(id.feedID == "unseen:u1:t:e:7")
        #expect(UnseenMessage.ID(feedID: id.feedID) == id)
        #expect(FeedPlace(id.feedID) == nil && AuditEntry.rowID(in: id.feedID) == nil)
        for wrong in ["unseen:u1:t:e:0", "unseen:u1:t:e:x", "unseen::t:e:7", "unseen:u1:t::7", "t:e:7", "audit:1-2"] {
            #expect(UnseenMessage.ID(feedID: wrong) == nil)
        }
        for lane in RowLane.allCases {
            #expect(RowLane(number: lane.number) == lane && RowLane(order: lane.order) == lane)
            #expect(lane.number <= EventCursor.lastLane)
        }
        #expect(RowLane(number: 0) == nil && RowLane(order: ThreadID(trusted: "audit")) == nil)
    }

    @Test("the ID of a row of the audit log leads to the row, and is that of no log event")
    func ids() throws {
        let entry = AuditEntry(id: 17, milliseconds: 9, note: AuditNote(.keyCreated, by: .command))
        #expect(entry.feedID == "audit:17-9")
        #expect(AuditEntry.rowID(in: entry.feedID) == 17)
        #expect(FeedPlace(entry.feedID) == nil)
        for wrong in ["audit:epoch:3", "audit:17", "audit:-17-9", "audit:x-9", "17-9", "a:b:3"] {
            #expect(AuditEntry.rowID(in: wrong) == nil)
        }
    }
}
