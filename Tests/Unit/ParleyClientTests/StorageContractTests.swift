import Foundation
import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Testing

/// What both storages do.
@Suite struct StorageContractTests {
    enum Kind: CaseIterable { case memory, file }

    /// Keeps the directory of the file.
    struct Place {
        let storage: any ChatStorage
        let directory: TemporaryDirectory?
    }

    private func open(_ kind: Kind) throws -> Place {
        switch kind {
        case .memory: return Place(storage: MemoryStorage(), directory: nil)
        case .file:
            let directory = try TemporaryDirectory()
            return Place(storage: try SQLiteStorage(path: directory.path + "/chat.db"), directory: directory)
        }
    }

    private func message(_ seq: Int, in thread: String = "t", by user: String = "b") throws -> StoredMessage {
        let tree = try JSONTree(parsing: MachineHarness.message(seq, in: thread, by: user, client: "c\(seq)"))
        return try #require(StoredMessage(tree))
    }

    private func record(_ id: String) -> ThreadRecord {
        ThreadRecord(
            .init(
                id: id, title: "Garden ☃", kind: .room, role: .readOnly, epoch: "e", seq: 7, unread: 3, readSeq: 4,
                lastMessage: nil))
    }

    @Test("messages are found by place, from either end", arguments: Kind.allCases)
    func messages(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        try storage.apply([5, 3, 9, 4].map { .message(try message($0)) } + [.message(message(1, in: "u"))])
        func seqs(_ from: Int, _ to: Int, _ limit: Int, _ newest: Bool) throws -> [Int] {
            try storage.messages(in: "t", from: from, to: to, limit: limit, newest: newest).map(\.seq)
        }
        #expect(try seqs(0, 100, 10, true) == [3, 4, 5, 9])
        #expect(try seqs(0, 100, 2, true) == [5, 9] && seqs(0, 100, 2, false) == [3, 4])
        #expect(try seqs(4, 5, 10, false) == [4, 5] && seqs(6, 8, 10, false) == [] && seqs(8, 3, 10, false) == [])
        #expect(try storage.newestMessage(in: "t")?.seq == 9)
        #expect(try storage.message(in: "t", seq: 4) == message(4))
        #expect(try storage.message(in: "t", named: "m5")?.seq == 5)
        #expect(try storage.message(in: "t", named: "c4")?.seq == 4 && storage.message(in: "u", named: "c4") == nil)
        #expect(try storage.message(in: "t", seq: 6) == nil && storage.newestMessage(in: "v") == nil)
    }

    @Test("the place is found from which a number of the newest messages begins", arguments: Kind.allCases)
    func newest(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        try storage.apply([5, 3, 9, 4].map { .message(try message($0)) } + [.message(message(7, in: "u"))])
        #expect(try (1...4).map { try storage.seq(ofNewest: $0, in: "t") } == [9, 5, 4, 3])
        #expect(try [0, -1, 5, Int.max].allSatisfy { try storage.seq(ofNewest: $0, in: "t") == nil })
        #expect(try storage.seq(ofNewest: 1, in: "u") == 7 && storage.seq(ofNewest: 1, in: "v") == nil)
    }

    @Test("a message keeps all it has", arguments: Kind.allCases)
    func fields(_ kind: Kind) throws {
        let place = try open(kind)
        var message = try message(3)
        message.parts = [.photo(ChatFile(url: "https://x.example/1", mediaType: "image/png")), .text("☃")]
        message.replyTo = 1
        message.editedMilliseconds = 5
        message.isErased = true
        message.senderDisplayName = "Bob ☃"
        message.react("👍", by: "b", isOn: true)
        try place.storage.apply([.message(message)])
        #expect(try place.storage.message(in: "t", seq: 3) == message)
    }

    @Test("changes of a message, and of one that is not cached", arguments: Kind.allCases)
    func changes(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        try storage.apply([.message(message(3)), .message(message(4, by: "a")), .message(message(5))])
        try storage.apply([
            .edit(thread: "t", seq: 3, text: "new", milliseconds: 9),
            .edit(thread: "t", seq: 8, text: "x", milliseconds: 9),
            .react(thread: "t", seq: 3, user: "a", emoji: "👍", isOn: true),
            .react(thread: "t", seq: 3, user: "a", emoji: "👍", isOn: true),
            .react(thread: "t", seq: 8, user: "a", emoji: "👍", isOn: true), .delete(thread: "t", seq: 8),
        ])
        let edited = try storage.message(in: "t", seq: 3)
        #expect(edited?.text == "new" && edited?.editedMilliseconds == 9 && edited?.reactions.first?.users == ["a"])
        #expect(try storage.unread(in: "t", after: 2, by: "a") == 2)
        try storage.apply([.delete(thread: "t", seq: 3), .edit(thread: "t", seq: 3, text: "late", milliseconds: 10)])
        let deleted = try storage.message(in: "t", seq: 3)
        #expect(deleted?.isDeleted == true && deleted?.text == "" && deleted?.reactions.isEmpty == true)
        #expect(try storage.unread(in: "t", after: 2, by: "a") == 1 && storage.unread(in: "t", after: 5, by: "a") == 0)
        #expect(try storage.message(in: "t", seq: 8) == nil)
    }

    @Test("all messages of a user are shown under another name, except erased ones", arguments: Kind.allCases)
    func rename(_ kind: Kind) throws {
        let storage = try open(kind)
        var erased = try message(5)
        erased.isErased = true
        try storage.storage.apply([
            .message(message(3)), .message(message(4, by: "a")), .message(erased), .message(message(1, in: "u")),
        ])
        func names() throws -> [String?] {
            try [
                storage.storage.message(in: "t", seq: 3), storage.storage.message(in: "t", seq: 4),
                storage.storage.message(in: "t", seq: 5), storage.storage.message(in: "u", seq: 1),
            ].map { $0?.senderDisplayName }
        }
        try storage.storage.apply([.rename(user: "b", displayName: "Bob B.")])
        #expect(try names() == ["Bob B.", nil, nil, "Bob B."])
        try storage.storage.apply([.rename(user: "b", displayName: nil)])
        #expect(try names() == [nil, nil, nil, nil])
    }

    @Test("ranges join when they touch or overlap, as a set of places does", arguments: Kind.allCases)
    func ranges(_ kind: Kind) throws {
        let place = try open(kind)
        var random = SeededGenerator(11)
        var places: Set<Int> = []
        for _ in 0..<200 {
            let from = Int.random(in: 1...300, using: &random)
            let to = from + Int.random(in: 0...9, using: &random)
            places.formUnion(from...to)
            try place.storage.apply([.range(thread: "t", from: from, to: to)])
            let probe = Int.random(in: 0...310, using: &random)
            let range = try place.storage.range(in: "t", containing: probe)
            #expect((range != nil) == places.contains(probe))
            if let range {
                #expect(range.allSatisfy { places.contains($0) } && range.contains(probe))
                #expect(!places.contains(range.lowerBound - 1) && !places.contains(range.upperBound + 1))
            }
        }
    }

    @Test("threads, entries and the account are loaded again", arguments: Kind.allCases)
    func state(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        var record = record("t")
        record.pendingRead = 6
        record.hasCache = true
        record.mute = ServerFrame.Mute(until: 1_795_255_300_123, reason: "spam ☃")
        record.receipts["b"] = ReadReceipt(seq: 3, date: .init(timeIntervalSince1970: 1_795_255_200))
        var draft = ChatDraft("text", replyTo: 3)
        draft.parts = [.location(ChatLocation(latitude: 1.5, longitude: 2))]
        var entries = [
            ClientOutboxEntry(id: "c1", thread: "t", ordinal: 1, content: .message(draft), milliseconds: 7),
            ClientOutboxEntry(
                id: "c2", thread: "t", ordinal: 2,
                content: .edit(.init(seq: 3, messageID: "m3", localID: "m3"), text: "x"), milliseconds: 8),
            ClientOutboxEntry(
                id: "c3", thread: "u", ordinal: 3, content: .deletion(.init(localID: "c1")), milliseconds: 8),
            ClientOutboxEntry(
                id: "c4", thread: "u", ordinal: 4,
                content: .reaction(.init(localID: "c1"), emoji: "👍", isOn: false), milliseconds: 8),
        ]
        entries[0].receipt = .init(seq: 9, messageID: "m9", milliseconds: 10)
        entries[0].wasSent = true
        entries[1].failure = .init(code: .forbidden, message: "no", isRetryable: false)
        let user = ChatUser(id: "a", username: "alice")
        var other = self.record("u")
        other.mute = ServerFrame.Mute()
        try storage.apply([.account(user), .thread(record), .thread(other)] + entries.map { .entry($0) })
        var state = try storage.load()
        #expect(state.account == user && state.outbox == entries.map(\.kept))
        #expect(state.threads.sorted { $0.id < $1.id } == [record, other])
        try storage.apply([.removeEntry("c3"), .removeThread("t")])
        state = try storage.load()
        #expect(state.outbox.map(\.id) == ["c4"] && state.threads.map(\.id) == ["u"])
        try storage.apply([.clear])
        state = try storage.load()
        #expect(state.outbox.isEmpty && state.threads.isEmpty && state.account == nil)
    }

    @Test("a cache is emptied for one thread", arguments: Kind.allCases)
    func clearing(_ kind: Kind) throws {
        let place = try open(kind)
        try place.storage.apply([
            .message(message(3)), .range(thread: "t", from: 3, to: 3), .message(message(3, in: "u")),
            .range(thread: "u", from: 3, to: 3), .clearMessages("t"),
        ])
        #expect(try place.storage.newestMessage(in: "t") == nil && place.storage.range(in: "t", containing: 3) == nil)
        #expect(try place.storage.newestMessage(in: "u") != nil && place.storage.range(in: "u", containing: 3) != nil)
    }

    @Test("notices are kept with the messages around them", arguments: Kind.allCases)
    func notices(_ kind: Kind) throws {
        let place = try open(kind)
        let bob = ChatUser(id: "b", username: "bob")
        let kinds: [ChatNotice.Kind] = [
            .joined(bob), .left(bob), .renamed(title: "☃"), .visibilityChanged(.private),
            .roleChanged(userID: "b", role: .readOnly),
        ]
        let notices = kinds.enumerated().map { index, kind in
            ChatNotice(
                threadID: "t", seq: index + 5, date: Date(timeIntervalSince1970: 1_795_255_200.123),
                byUserID: index == 0 ? nil : "a", kind: kind)
        }
        let storage = place.storage
        try storage.apply(notices.reversed().map { .notice($0) })
        #expect(try storage.notices(in: "t", from: 5, to: 9, limit: 9) == notices)
        #expect(try storage.notices(in: "t", from: 6, to: 9, limit: 2) == Array(notices.suffix(2)))
        #expect(try storage.cachedCounts() == ["t": 5] && storage.notices(in: "u", from: 1, to: 9, limit: 9).isEmpty)
        try storage.apply([.trimMessages("t", below: 7)])
        #expect(try storage.notices(in: "t", from: 1, to: 9, limit: 9) == Array(notices.suffix(3)))
        try storage.apply([.clearMessages("t")])
        #expect(try storage.notices(in: "t", from: 1, to: 9, limit: 9).isEmpty)
    }

    @Test("messages are counted, and those below a place removed with their ranges", arguments: Kind.allCases)
    func trimming(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        try storage.apply([2, 3, 6, 7, 8].map { .message(try message($0)) } + [.message(message(3, in: "u"))])
        try storage.apply([(2, 3), (6, 8)].map { .range(thread: "t", from: $0.0, to: $0.1) })
        #expect(try storage.cachedCounts() == ["t": 5, "u": 1])
        try storage.apply([.trimMessages("t", below: 7), .trimMessages("v", below: 7)])
        #expect(try storage.cachedCounts() == ["t": 2, "u": 1])
        #expect(try storage.range(in: "t", containing: 8) == 7...8 && storage.range(in: "t", containing: 6) == nil)
        #expect(try storage.range(in: "t", containing: 3) == nil)
    }

    @Test(
        "messages and notices are counted and numbered together, and the newest message stays", arguments: Kind.allCases
    )
    func counting(_ kind: Kind) throws {
        let place = try open(kind)
        let storage = place.storage
        let notices = [4, 6, 9].map { seq in
            ChatNotice(
                threadID: "t", seq: seq, date: Date(timeIntervalSince1970: 0), byUserID: nil, kind: .renamed(title: "x")
            )
        }
        try storage.apply([3, 5].map { .message(try message($0)) } + notices.map { .notice($0) })
        #expect(try storage.cachedCounts() == ["t": 5])
        #expect(try (1...6).map { try storage.seq(ofNewest: $0, in: "t") } == [9, 6, 5, 4, 3, nil])
        try storage.apply([.trimMessages("t", below: 9)])
        #expect(try storage.cachedCounts() == ["t": 2] && storage.newestMessage(in: "t")?.seq == 5)
    }

    @Test("a file has one client at a time, and keeps what it had")
    func reopening() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        let first = try SQLiteStorage(path: path)
        try first.apply([.message(message(3)), .thread(record("t"))])
        #expect(throws: ChatError.storageInUse) { _ = try SQLiteStorage(path: path) }
        first.close()
        let second = try SQLiteStorage(path: path)
        #expect(try second.message(in: "t", seq: 3) == message(3) && second.load().threads == [record("t")])
    }

    @Test("a path that cannot be written is an error")
    func noPlace() {
        #expect(throws: ChatError.self) { _ = try SQLiteStorage(path: "/proc/none/chat.db") }
    }
}
