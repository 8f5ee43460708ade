import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `MessageLog`; used like `ThreadBusFact`.
package enum MessageLogFact: String, CaseIterable, Sendable {
    case concurrentAppendsGetGaplessSeqs
    case appendsOfOneCallerKeepTheirOrder
    case aRepeatGetsTheFirstReceipt
    case concurrentRepeatsAreOneEvent
    case aClientIDIsOneMessagePermanently
    case sendersDoNotShareClientIDs
    case aMessageThatMayBeInTheLogIsLookedUp
    case anOutboxEntryIsOneEvent
    case anOutboxEntryIsRelayedByManyAtOnce
    case aRepeatThatOnlyTheStoreKnowsIsRecognised
    case aConflictThatOnlyTheStoreKnowsIsRecognised
    case otherPartsAreAnotherMessage
    case aRepeatOfAnEditedOrDeletedMessageIsRecognised
    case anOldSendIsRecognisedInAnActiveThread
    case anUnavailableStoreDoesNotBlockSends
    case anUnknownThreadContinuesAboveTheStore
    case anUnavailableStoreFailsAppendsUntilItRecovers
    case aThreadWithoutEventsIsEmpty
    case theHeadIsTheLastEvent
    case slicesKeepTheirBounds
    case aSliceReportsTruncation
    case datesNeverDecrease
    case onlyMessagesAreCounted
    case nodesShareOneLog
    case aRedactedMessageKeepsItsPosition
    case anErasedUserLeavesPlaceholders
    case aForgottenThreadBeginsAnotherEpoch
    case aForgottenThreadFreesItsNames
    case aWithdrawnMessageIsNotAppended
    case sendsOfAnErasedUserAreForgotten

    package func check(_ fixture: some LogFixture) async throws {
        try await fixture.whileRunning(storing: true) {
            switch self {
            case .concurrentAppendsGetGaplessSeqs: try await gapless(fixture)
            case .appendsOfOneCallerKeepTheirOrder: try await callerOrder(fixture)
            case .aRepeatGetsTheFirstReceipt: try await repeated(fixture)
            case .concurrentRepeatsAreOneEvent: try await concurrentRepeats(fixture)
            case .aClientIDIsOneMessagePermanently: try await conflicts(fixture)
            case .sendersDoNotShareClientIDs: try await senders(fixture)
            case .aMessageThatMayBeInTheLogIsLookedUp: try await lookedFor(fixture)
            case .anOutboxEntryIsOneEvent: try await outbox(fixture)
            case .anOutboxEntryIsRelayedByManyAtOnce: try await manyRelays(fixture)
            case .aRepeatThatOnlyTheStoreKnowsIsRecognised: try await storedRepeat(fixture)
            case .aConflictThatOnlyTheStoreKnowsIsRecognised: try await storedConflict(fixture)
            case .otherPartsAreAnotherMessage: try await otherParts(fixture)
            case .aRepeatOfAnEditedOrDeletedMessageIsRecognised: try await changedRepeat(fixture)
            case .anOldSendIsRecognisedInAnActiveThread: try await oldSends(fixture)
            case .anUnavailableStoreDoesNotBlockSends: try await letThrough(fixture)
            case .anUnknownThreadContinuesAboveTheStore: try await seeding(fixture)
            case .anUnavailableStoreFailsAppendsUntilItRecovers: try await storeAway(fixture)
            case .aThreadWithoutEventsIsEmpty: try await empty(fixture)
            case .theHeadIsTheLastEvent: try await head(fixture)
            case .slicesKeepTheirBounds: try await bounds(fixture)
            case .aSliceReportsTruncation: try await truncation(fixture)
            case .datesNeverDecrease: try await dates(fixture)
            case .onlyMessagesAreCounted: try await counts(fixture)
            case .nodesShareOneLog: try await sharing(fixture)
            case .aRedactedMessageKeepsItsPosition: try await redaction(fixture)
            case .anErasedUserLeavesPlaceholders: try await erasure(fixture)
            case .aForgottenThreadBeginsAnotherEpoch: try await forgetting(fixture)
            case .aForgottenThreadFreesItsNames: try await forgottenNames(fixture)
            case .aWithdrawnMessageIsNotAppended: try await withdrawal(fixture)
            case .sendsOfAnErasedUserAreForgotten: try await forgottenSends(fixture)
            }
        }
    }

    // MARK: Order

    private func gapless(_ fixture: some LogFixture) async throws {
        let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
        let thread = Samples.thread("busy")
        let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
            for appender in 0..<8 {
                group.addTask {
                    var receipts: [Receipt] = []
                    for number in 0..<40 {
                        let draft = Samples.send(
                            "\(appender) \(number)", in: thread, by: "user-\(appender)",
                            clientID: number.isMultiple(of: 2) ? "c\(number)" : nil)
                        receipts.append(try await nodes[appender % 2].log.append(draft))
                    }
                    return receipts
                }
            }
            var all: [Receipt] = []
            for try await some in group {
                let seqs = some.map(\.position.seq)
                try #require(seqs == seqs.sorted(), "seqs of one caller")
                all += some
            }
            return all
        }
        try #require(receipts.map(\.position.seq).sorted() == Array(1...320), "seqs")
        try #require(Set(receipts.map(\.position.epoch)).count == 1, "epochs")
        try #require(receipts.allSatisfy { !$0.isRepeat && $0.thread == thread }, "no send is a repeat")
    }

    private func callerOrder(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("pipelined")
        let responses = Recorder<(Int, Result<Receipt, AppendError>)>()
        for number in 0..<200 {
            let clientID = number.isMultiple(of: 3) ? "c\(number)" : nil
            node.log.append(Samples.send("\(number)", in: thread, clientID: clientID)) {
                responses.record((number, $0))
            }
        }
        let all = try await responses.wait(count: 200)
        var seqs = [Int64](repeating: 0, count: 200)
        for (number, response) in all { seqs[number] = try response.get().position.seq }
        try #require(seqs == Array(1...200), "seqs in order of the calls")
        try #require(all.count == 200, "answers")
    }

    // MARK: Once

    private func repeated(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("again")
        let first = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1", id: "m1"))
        try #require(!first.isRepeat, "the first is no repeat")
        _ = try await node.log.append(Samples.send("between", in: thread))
        let again = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1", id: "m2"))
        var expected = first
        expected.isRepeat = true
        try #require(again == expected, "receipt of a repeat")
        try #require(first.messageID == MessageID(trusted: "m1"), "message id")
        try #require(try await node.log.head(of: thread)?.position.seq == 2, "head")
    }

    private func concurrentRepeats(_ fixture: some LogFixture) async throws {
        let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
        let thread = Samples.thread("at-once")
        let responses = Recorder<Result<Receipt, AppendError>>()
        for number in 0..<20 {
            let draft = Samples.send("hi", in: thread, clientID: "c1", id: "m\(number)")
            nodes[number % 2].log.append(draft) { responses.record($0) }
        }
        let receipts = try await responses.wait(count: 20).map { try $0.get() }
        try #require(receipts.filter { !$0.isRepeat }.count == 1, "first receipts")
        try #require(Set(receipts.map(\.position)).count == 1, "positions")
        try #require(Set(receipts.map(\.messageID)).count == 1, "message ids")
        let slice = try await nodes[0].log.events(in: thread, after: 0, limit: 100)
        try #require(slice.events.map(\.message?.id) == [receipts[0].messageID], "events")
    }

    private func conflicts(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("one")
        let first = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1"))
        let others = [
            Samples.send("hi!", in: thread, clientID: "c1"),
            Samples.send("hi", in: Samples.thread("two"), clientID: "c1"),
        ]
        for draft in others { await expectConflict(node.log, draft) }
        let again = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1"))
        try #require(again.position == first.position, "the first stays the first")
        try #require(try await node.log.head(of: thread)?.position.seq == 1, "nothing entered the log")
    }

    private func senders(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("both")
        let ann = try await node.log.append(Samples.send("hi", in: thread, by: "ann", clientID: "c1"))
        let bob = try await node.log.append(Samples.send("ho", in: thread, by: "bob", clientID: "c1"))
        try #require([ann.position.seq, bob.position.seq] == [1, 2], "seqs")
        try #require(!bob.isRepeat, "another sender's send is no repeat")
    }

    private func lookedFor(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("maybe")
        var draft = Samples.send("hi", in: thread, id: "m1")
        draft.mayBeThere = true
        let first = try await node.log.append(draft)
        try #require(!first.isRepeat, "it was not there")
        // Another message whose text contains the id does not match.
        _ = try await node.log.append(Samples.send("m1 m2", in: thread, id: "m3"))
        var expected = first
        expected.isRepeat = true
        try #require(try await node.log.append(draft) == expected, "receipt of what was there")
        var other = Samples.send("ho", in: thread, id: "m2")
        other.mayBeThere = true
        try #require(try await node.log.append(other).position.seq == 3, "seq of what was not there")
    }

    private func storedRepeat(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("old")
        let stored = Samples.event("hi", in: thread, seq: 1, clientID: "c1")
        fixture.store.seed([stored])
        for _ in 0..<2 {
            let receipt = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1", id: "other"))
            try #require(receipt.isRepeat, "what the store has is a repeat")
            try #require(receipt.position == stored.position, "position")
            try #require(receipt.milliseconds == stored.milliseconds, "date")
            try #require(receipt.messageID == stored.message?.id, "message id")
        }
        let next = try await node.log.append(Samples.send("new", in: thread, clientID: "c2"))
        try #require(next.position.seq == 2, "seq of the next")
    }

    private func storedConflict(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("old")
        fixture.store.seed([Samples.event("hi", in: thread, seq: 1, clientID: "c1")])
        await expectConflict(node.log, Samples.send("ho", in: thread, clientID: "c1"))
        await expectConflict(node.log, Samples.send("hi", in: Samples.thread("new"), clientID: "c1"))
        let receipt = try await node.log.append(Samples.send("hi", in: thread, clientID: "c1"))
        try #require(receipt.isRepeat, "the stored send itself is a repeat")
    }

    private func otherParts(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("parts")
        func send(_ parts: [MessagePart], replyTo: Int64? = nil) -> EventDraft {
            let message = Message(
                id: MessageID(trusted: "m1"), sender: Samples.user("ann"), text: "hi", clientID: "c1", parts: parts,
                replyTo: replyTo)
            return EventDraft(thread: thread, body: .message(message))
        }
        let first = try await node.log.append(send(Samples.parts))
        for draft in [send([]), send([.text("hi")]), send(Samples.parts, replyTo: 1)] {
            await expectConflict(node.log, draft)
        }
        let again = try await node.log.append(send(Samples.parts))
        try #require(again.isRepeat, "the same parts are a repeat")
        try #require(again.position == first.position, "position")
    }

    func expectConflict(_ log: any MessageLog, _ draft: EventDraft) async {
        await #expect(throws: AppendError.conflict) { try await log.append(draft) }
    }

    // MARK: Seeding

    private func seeding(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("known")
        fixture.store.seed((1...7).map { Samples.event("old \($0)", in: thread, seq: $0, messageCount: $0 - 2) })
        let responses = Recorder<Result<Receipt, AppendError>>()
        for number in 0..<30 {
            node.log.append(Samples.send("new \(number)", in: thread)) { responses.record($0) }
        }
        let receipts = try await responses.wait(count: 30).map { try $0.get() }
        try #require(receipts.map(\.position.seq) == Array(8...37), "seqs above the store")
        let epochs = Set(receipts.map(\.position.epoch))
        try #require(epochs.count == 1, "epochs")
        try #require((epochs == [Epoch("old")]) == fixture.keepsStoredEpoch, "whether the stored epoch goes on")
        try #require(try await node.log.head(of: thread)?.messageCount == 35, "messages counted on")
        let slice = try await node.log.events(in: thread, after: 7, limit: 100)
        try #require(slice.events.count == 30, "events above the store")
        try #require(!slice.isTruncated, "all above the store is there")
        try #require(
            try await node.log.events(in: thread, after: 6, limit: 100).isTruncated, "the rest is only in the store")
        let quiet = (1...600).map { Samples.thread("quiet-\($0)") }
        fixture.store.seed(quiet.map { Samples.event("old", in: $0, seq: 5) })
        try #require(try await node.log.head(of: quiet[0])?.position.seq == 5, "head of a thread not yet seen")
        let heads = try await node.log.heads(of: quiet + [thread])
        try #require(heads[thread]?.position.seq == 37, "head of a thread among many")
        try #require(Set(quiet.map { heads[$0]?.position.seq }) == [5], "heads of more threads than are read at once")
    }

    private func storeAway(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("known")
        fixture.store.seed([Samples.event("old", in: thread, seq: 3)])
        // Every query, since the log may also ask for other things than the end of this thread.
        fixture.store.setReadError(.unavailable("away"))
        let responses = Recorder<Result<Receipt, AppendError>>()
        node.log.append(Samples.send("one", in: thread)) { responses.record($0) }
        let refused = try await responses.wait(count: 1)
        let isUnavailable = if case .failure(.unavailable) = refused[0] { true } else { false }
        try #require(isUnavailable, "must be unavailable, not \(refused[0])")
        fixture.store.setReadError(nil)
        let receipt = try await node.log.append(Samples.send("two", in: thread))
        try #require(receipt.position.seq == 4, "seq once the store is back")
    }
}
