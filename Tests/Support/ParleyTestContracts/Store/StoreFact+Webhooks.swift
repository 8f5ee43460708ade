import ParleyModel
import Testing

extension StoreFact {
    /// Endpoints of back ends and their dead letters (`Webhooks`).
    static let webhooks: [StoreFact] = [
        StoreFact("endpoints are kept with all their fields, ascending by ID") { fixture in
            let store = fixture.store
            let first = webhook("a", progress: Self.busy)
            #expect(try await store.addWebhook(webhook("b")))
            #expect(try await store.addWebhook(first))
            #expect(try await !store.addWebhook(webhook("a")))
            let all = try await store.webhooks()
            #expect(all == [first, webhook("b")])
            #expect(try await store.deleteWebhook("a"))
            #expect(try await !store.deleteWebhook("a"))
            #expect(try await store.webhooks().map(\.id) == ["b"])
        },
        StoreFact("the oldest events after several cursors have the time at which they were stored") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let store = fixture.store
            let before = try await store.endOfEvents()
            #expect(try await store.oldestEvents(after: []).isEmpty)
            #expect(try await store.oldestEvents(after: [before, before]) == [nil, nil])
            try await fixture.write(fixture.message("1", from: ann, in: room))
            let end = try await store.endOfEvents()
            let times = try await store.oldestEvents(after: [end, before, .start])
            #expect(times.map { $0 == nil } == [true, false, false])
            let page = try #require(try await store.events(after: before, EventQuery()))
            let (newer, oldest) = (try #require(times[1]), try #require(times[2]))
            #expect(newer == page.storedMilliseconds)
            #expect(oldest <= newer)
        },
        StoreFact("no more endpoints than the maximum are added, though several processes add them") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            for number in 1..<Webhook.maximumCount {
                #expect(try await fixture.store.addWebhook(webhook("\(number)")))
            }
            let added = try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask { try await stores[number % 2].addWebhook(webhook("more\(number)")) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(added == 1)
        },
        StoreFact("one token at a time has the lease, and stores the progress") { fixture in
            let store = fixture.store
            _ = try await store.addWebhook(webhook("a"))
            #expect(try await store.leaseWebhook("none", to: "x", for: 600_000) == nil)
            let leased = try #require(try await store.leaseWebhook("a", to: "x", for: 600_000))
            #expect(leased.untilMilliseconds > 600_000)
            #expect(try await store.leaseWebhook("a", to: "y", for: 600_000) == nil)
            #expect(try await store.storeWebhook("a", Self.busy, by: "y", for: 600_000) == nil)
            #expect(try await store.storeWebhook("a", Self.busy, by: "x", for: 600_000) == leased.settings)
            #expect(try await store.storeWebhook("a", nil, by: "x", for: 0) == leased.settings)
            let next = try #require(try await store.leaseWebhook("a", to: "y", for: 600_000))
            #expect(next.progress == Self.busy)
            #expect(try await store.storeWebhook("a", nil, by: "x", for: 600_000) == nil)
        },
        StoreFact("a change is told to the process with the lease, and ends the lease with another progress") {
            fixture in
            let store = fixture.store
            _ = try await store.addWebhook(webhook("a", progress: Self.busy))
            _ = try await store.leaseWebhook("a", to: "x", for: 600_000)
            let known = try #require(try await store.webhooks().first)
            var settings = known.settings
            settings.batch = 7
            #expect(try await store.changeWebhook(known, to: settings, nil))
            #expect(try await store.webhooks().first?.progress == Self.busy)
            #expect(try await store.storeWebhook("a", nil, by: "x", for: 600_000) == settings)
            #expect(try await store.leaseWebhook("a", to: "y", for: 600_000) == nil)
            let changed = try #require(try await store.webhooks().first)
            #expect(try await store.changeWebhook(changed, to: settings, WebhookProgress(place: .start)))
            #expect(try await store.storeWebhook("a", Self.busy, by: "x", for: 600_000) == nil)
            #expect(try await store.webhooks().first?.progress == WebhookProgress(place: .start))
            #expect(try await !store.changeWebhook(webhook("none"), to: settings, nil))
        },
        StoreFact("a change does not undo another one that was made since the endpoint was read") { fixture in
            let store = fixture.store
            _ = try await store.addWebhook(webhook("a", progress: Self.busy))
            let known = try #require(try await store.webhooks().first)
            var (one, two) = (known.settings, known.settings)
            one.batch = 7
            two.secrets = ["new"]
            #expect(try await store.changeWebhook(known, to: one, nil))
            #expect(try await !store.changeWebhook(known, to: two, nil))
            let now = try #require(try await store.webhooks().first)
            #expect(now.settings == one)
            // Progress that was stored since then is not replaced by an earlier one, but settings are.
            _ = try await store.leaseWebhook("a", to: "x", for: 600_000)
            let later = WebhookProgress(place: .start)
            _ = try await store.storeWebhook("a", later, by: "x", for: 600_000)
            #expect(try await !store.changeWebhook(now, to: two, Self.busy))
            #expect(try await store.changeWebhook(now, to: two, nil))
            #expect(try await store.webhooks().first?.progress == later)
        },
        StoreFact("dead letters are listed, marked, and removed with their endpoint") { fixture in
            let store = fixture.store
            _ = try await store.addWebhook(webhook("a"))
            _ = try await store.addWebhook(webhook("b"))
            for number in 1...3 {
                #expect(try await store.addDeadLetter(letter("\(number)"), of: "a"))
            }
            #expect(try await store.addDeadLetter(letter("2"), of: "b"))
            #expect(try await !store.addDeadLetter(letter("2"), of: "none"))
            let letters = try await store.deadLetters(of: "a", before: nil, limit: 2)
            #expect(letters.map(\.event) == ["3", "2"])
            #expect(letters.first == letter("3", id: letters[0].id))
            #expect(
                try await store.deadLetters(of: "a", before: letters[1].id, limit: 9).map(\.event) == ["1"])
            #expect(try await store.deadLetterCounts() == ["a": 3, "b": 1])
            #expect(try await store.replayDeadLetters(of: "a", [letters[0].id, letters[0].id]) == 1)
            #expect(try await store.replayedDeadLetters(of: "a", limit: 9).map(\.event) == ["3"])
            // Another failure ends the mark.
            #expect(try await store.addDeadLetter(letter("3"), of: "a"))
            #expect(try await store.replayedDeadLetters(of: "a", limit: 9).isEmpty)
            #expect(try await store.replayDeadLetters(of: "a", nil) == 3)
            #expect(try await store.replayedDeadLetters(of: "a", limit: 2).map(\.event) == ["1", "2"])
            #expect(try await !store.removeDeadLetter(letters[0].id, of: "b"))
            #expect(try await store.removeDeadLetter(letters[0].id, of: "a"))
            _ = try await store.deleteWebhook("a")
            #expect(try await store.deadLetterCounts() == ["b": 1])
        },
    ]

    private static var busy: WebhookProgress {
        let cursor = EventCursor([0: EventCursor.Place(stamp: 7, count: 2), 3: EventCursor.Place(stamp: .max >> 8)])
        var progress = WebhookProgress(place: cursor)
        progress.waiting[ThreadID(trusted: "chat_1")] = WebhookWait(
            place: .start, delivered: "chat_1:e:7", attempts: 3, firstFailure: 5, next: .max)
        progress.waiting[ThreadID(trusted: "chat_2")] = WebhookWait(
            place: cursor, delivered: nil, attempts: 0, firstFailure: nil, next: 0)
        progress.disabled = "no \"more\""
        progress.successMilliseconds = 1
        progress.failureMilliseconds = 2
        progress.failure = "status 500"
        return progress
    }

    private static func webhook(_ id: String, progress: WebhookProgress = WebhookProgress(place: .start)) -> Webhook {
        Webhook(
            id: id,
            settings: WebhookSettings(
                url: "https://shop.example/chat?a=\"b\"", kinds: [.message, .edited],
                thread: ThreadID(trusted: "chat_1"),
                user: UserID(trusted: "7"), batch: 100, secrets: ["whsec_new", "whsec_old"]),
            progress: progress, createdMilliseconds: 1_700_000_000_000)
    }

    private static func letter(_ event: String, id: Int64 = 0) -> DeadLetter {
        DeadLetter(id: id, event: event, attempts: 9, reason: "status 500", failedMilliseconds: 6)
    }
}
