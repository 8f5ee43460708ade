import ParleyModel
import Testing

@Suite("Kinds of events that a reader asks for")
struct EventKindsTests {
    @Test("are named, and the audit log is among them only by its name or by all")
    func names() throws {
        #expect(EventKinds().log == nil && !EventKinds().hasAudit && EventKinds().names == nil)
        let some = try #require(EventKinds(names: ["message", "audit", "joined", "audit"]))
        #expect(some == EventKinds(log: [.message, .joined], hasAudit: true))
        #expect(some.names == ["audit", "joined", "message"])
        #expect(EventKinds(names: ["audit"]) == EventKinds(log: [], hasAudit: true))
        #expect(EventKinds(names: ["message"])?.names == ["message"])
        for names in [["all"], ["all", "message"], ["audit", "all"]] {
            #expect(EventKinds(names: names)?.names == ["all"])
        }
        for wrong in ["", "Message", "everything"] { #expect(EventKinds(names: ["message", wrong]) == nil) }
    }

    @Test("settings of a webhook keep them", arguments: [nil, ["all"], ["audit"], ["audit", "message"], ["edited"]])
    func webhooks(names: [String]?) throws {
        var settings = WebhookSettings(url: "https://shop.example/", secrets: ["s"])
        settings.eventKinds = try #require(names.map { EventKinds(names: $0) } ?? EventKinds())
        let stored = try WebhookSettings(stored: settings.stored)
        #expect(stored == settings && stored.eventKinds.names == names)
        #expect(stored.query.hasAudit == (names?.contains("audit") == true || names == ["all"]))
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
