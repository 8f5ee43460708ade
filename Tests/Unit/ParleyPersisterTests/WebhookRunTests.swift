import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import Testing

@Suite("The events of a webhook in memory")
struct WebhookRunTests {
    private static let end = EventCursor([0: EventCursor.Place(stamp: 1)])

    private static func event(_ thread: String) -> FeedEvent {
        .log(Samples.event("text", in: ThreadID(trusted: thread), seq: 1))
    }

    private static func ids(_ sendings: [WebhookRun.Sending]) -> [[String]] { sendings.map { $0.events.map(\.feedID) } }

    @Test("a part that was forgotten, since its texts may be old, is not passed while it cannot be read again")
    func forgotten() throws {
        let settings = WebhookSettings(url: "https://shop.example/", batch: 2, secrets: [])
        var run = WebhookRun(
            Webhook(
                id: "wh_00000000000000000001", settings: settings, progress: WebhookProgress(place: .start),
                createdMilliseconds: 1), WebhookPolicy())
        let page = EventFeedPage(
            entries: ["a", "b", "c"].map(Self.event), next: Self.end, isEnd: true, storedMilliseconds: 1)
        #expect(run.nextPart(at: 0)?.after == .start)
        run.add(page, at: 0)
        let sent = run.next(at: 0)
        try #require(Self.ids(sent) == [["a:old:1", "b:old:1"], ["c:old:1"]])
        #expect(run.finished(sent[0], .refused(status: 500), at: 0).isEmpty)
        #expect(run.finished(sent[1], .accepted, at: 0).isEmpty)

        // The database does not answer to the first two attempts.
        for time in 1...3 { #expect(run.nextPart(at: WebhookRun.staleness + Int64(time))?.after == .start) }
        #expect(run.progress.place == .start)
        run.add(page, at: 6_000)
        let again = run.next(at: 6_000)
        try #require(Self.ids(again) == [["a:old:1", "b:old:1"]])
        for sending in again { #expect(run.finished(sending, .accepted, at: 6_000).isEmpty) }
        #expect(run.nextPart(at: 6_000)?.after == Self.end)
        #expect(run.progress.place == Self.end)
    }
}
