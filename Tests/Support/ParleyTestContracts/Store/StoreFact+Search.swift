import ParleyModel
import Testing

extension StoreFact {
    /// Queries over many threads.
    static let search: [StoreFact] = [
        StoreFact("a search finds words in the user's own threads, newest first") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann))
            let said = [
                fixture.message("A kettle of tea", from: bob, in: tea),
                fixture.message("The KETTLE, whistling!", from: ann, in: milk),
                fixture.message("kettles", from: ann, in: tea), fixture.message("tea? Kettle.", from: ann, in: tea),
            ]
            try await fixture.write(fixture.batch(said))
            func found(_ words: String, by user: User, in thread: ThreadID? = nil, limit: Int = 9) async throws
                -> [String]
            {
                try await fixture.store.search(words, of: user.id, in: thread, limit: limit).messages.map {
                    $0.message?.text ?? ""
                }
            }
            #expect(
                try await found("kettle", by: ann)
                    == ["tea? Kettle.", "kettles", "The KETTLE, whistling!", "A kettle of tea"])
            #expect(try await found("kettle", by: bob) == ["tea? Kettle.", "kettles", "A kettle of tea"])
            #expect(try await found("Tea kettle", by: ann) == ["tea? Kettle.", "A kettle of tea"])
            #expect(try await found("kettle", by: ann, in: milk) == ["The KETTLE, whistling!"])
            #expect(try await found("kettle", by: bob, in: milk) == [])
            // By the beginnings of words, but not by their ends, and not by single characters.
            #expect(try await found("kettles", by: ann) == ["kettles"])
            #expect(try await found("TE ket", by: ann) == ["tea? Kettle.", "A kettle of tea"])
            #expect(try await found("whist kettle", by: ann) == ["The KETTLE, whistling!"])
            for words in ["ettle", "kettlesx", "k", "t kettle"] { #expect(try await found(words, by: ann) == []) }
            #expect(try await found("a kett", by: ann) == ["A kettle of tea"])
            for words in ["", " ", "?!", "\0", "kettle\0", "\"", "'", "*", "of | nothing & else", "-kettle tea) OR (x"]
            {
                #expect(try await found(words, by: ann).allSatisfy { $0.lowercased().contains("kettle") }, "\(words)")
            }
            let page = try await fixture.store.search("kettle", of: ann.id, in: nil, limit: 2)
            #expect(page.messages == [said[3], said[2]].map(\.stored))
            #expect(page.hasMore)
            #expect(try await fixture.store.search("kettle", of: ann.id, in: nil, limit: 4).hasMore == false)
        },
        StoreFact("a search finds the current texts only") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (one, two) = (
                fixture.message("before", from: ann, in: room), fixture.message("before", from: bob, in: room)
            )
            try await fixture.write(one, two, fixture.edit(one, "after", by: ann), fixture.delete(two, by: bob))
            // A local function here does not compile in a debug build (Swift 6.3.1: no 'async' operations occur).
            let count = { (words: String) async throws -> Int in
                try await fixture.store.search(words, of: ann.id, in: nil, limit: 9).messages.count
            }
            #expect(try await count("before") == 0)
            #expect(try await count("after") == 1)
            try await fixture.write(fixture.leaving(ann, room))
            #expect(try await count("after") == 0)
        },
        StoreFact("a thread's id does not match as a word of a text") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (mine, other) = (try await fixture.room("mine", ann), try await fixture.room("other", bob))
            try await fixture.write(
                fixture.message("a word of \(mine) and  \(mine)", from: bob, in: other),
                fixture.message("another word", from: ann, in: mine))
            let found = try await fixture.store.search("word", of: ann.id, in: nil, limit: 9)
            #expect(found.messages.map(\.thread) == [mine])
            #expect(try await fixture.store.search(" \(mine)", of: ann.id, in: nil, limit: 9).messages.isEmpty)
        },
        StoreFact("all messages sent by a user are exported, page by page") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let rooms = [try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann, bob)]
            let said = (0..<40).map { number in
                fixture.message(
                    "\(number)", from: number % 3 == 0 ? bob : ann, in: rooms[number % 2],
                    clientID: number % 4 == 0 ? "c\(number)" : nil)
            }
            try await fixture.write(fixture.batch(said))
            try await fixture.write(fixture.leaving(ann, rooms[0]), fixture.edit(said[1], "x", by: ann))
            let mine = Set(said.compactMap(\.message).filter { $0.sender == ann }.map(\.id))
            for limit in [1, 3, 26, 27, 100] {
                var (exported, place): ([LogEvent], ExportPlace?) = ([], nil)
                repeat {
                    let page = try await fixture.store.export(of: ann.id, after: place, limit: limit)
                    #expect(page.messages.count <= limit)
                    exported += page.messages
                    place = page.next
                } while place != nil
                #expect(exported.count == mine.count, "\(limit)")
                #expect(Set(exported.compactMap { $0.message?.id }) == mine)
                #expect(exported.contains { $0.message?.text == "x" })
            }
            #expect(try await fixture.store.export(of: UserID(trusted: "none"), after: nil, limit: 9).messages.isEmpty)
        },
    ]
}
