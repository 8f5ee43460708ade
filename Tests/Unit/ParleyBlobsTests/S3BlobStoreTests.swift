import ParleyBlobs
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Attachments in a storage that answers wrongly, and in small pieces")
struct S3BlobStoreTests {
    private func withStorage(
        timeLimit: Duration = .seconds(600), _ test: (FakeS3, S3BlobStore) async throws -> Void
    ) async throws {
        let storage = try await FakeS3.start()
        try await test(storage, S3BlobStore(try #require(storage.settings), timeLimit: timeLimit))
        try await storage.stop()
    }

    private func attachment(_ size: Int64, received: Int64 = 0) -> ParleyModel.Attachment {
        ParleyModel.Attachment(
            id: AttachmentID(trusted: "f"), owner: UserID(trusted: "u"), name: "a", type: MediaType.binary, size: size,
            received: received, created: 0)
    }

    @Test("bytes of another range are never those of a file", arguments: FakeS3.Ranges.allCases)
    func ranges(answer: FakeS3.Ranges) async throws {
        try await withStorage { storage, store in
            storage.objects = ["attachments/f": Array("0123456789".utf8)]
            storage.answerRanges(answer)
            func read(_ range: Range<Int64>) async throws(BlobError) -> String {
                let reader = try await store.read(attachment(10), range)
                var bytes: [UInt8] = []
                while let next = try await reader.next() { bytes += next }
                await reader.close()
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(try await read(0..<10) == "0123456789")
            for range in [2..<5, 0..<5, 5..<10] as [Range<Int64>] {
                let text: String
                do throws(BlobError) {
                    text = try await read(range)
                } catch {
                    guard case .unavailable = error, answer != .honoured else { throw error }
                    continue
                }
                #expect(text == String("0123456789".dropFirst(Int(range.lowerBound)).prefix(range.count)), "\(range)")
            }
        }
    }

    @Test("a storage that closes the connection before the end of a file is unavailable")
    func cut() async throws {
        try await withStorage { storage, store in
            storage.objects = ["attachments/f": Array("0123456789".utf8)]
            storage.deliver(.cut)
            let reader = try await store.read(attachment(10), 0..<10)
            let error = await #expect(throws: BlobError.self) { while try await reader.next() != nil {} }
            guard case .unavailable = error else { throw try #require(error) }
        }
    }

    @Test("a storage that sends little by little, and never ends, is given up")
    func drips() async throws {
        try await withStorage(timeLimit: .milliseconds(200)) { storage, store in
            storage.deliver(.dripping)
            let error = await #expect(throws: BlobError.self) { try await store.remove(attachment(10)) }
            guard case .unavailable = error else { throw try #require(error) }
            #expect(try await eventually { storage.connections == 0 })
        }
    }

    @Test("a download that nobody reads any more ends its request")
    func dropped() async throws {
        try await withStorage { storage, store in
            storage.objects = ["attachments/f": [0]]
            storage.answerRanges(.endless)
            storage.deliver(.dripping)
            let reader = try await store.read(attachment(10), 0..<10)
            _ = try await reader.next()
            await reader.close()
            #expect(try await eventually { storage.connections == 0 })
        }
    }

    @Test("an upload in small pieces leaves one object beside the one before, and a request without bytes none")
    func pieces() async throws {
        try await withStorage { storage, store in
            for received in 0..<Int64(5) {
                let writer = try await store.append(to: attachment(9, received: received))
                #expect(storage.objects.keys.sorted() == (received == 0 ? [] : ["uploads/f/\(received)"]))
                try await writer.write([UInt8(received)])
                #expect(try await writer.save(isLast: true).received == received + 1)
                await writer.close()
            }
            // Of a request that is not recorded yet.
            storage.objects["uploads/f/8"] = Array(0..<8)
            let writer = try await store.append(to: attachment(9, received: 5))
            #expect(try await writer.save(isLast: true).received == 5)
            await writer.close()
            #expect(storage.objects == ["uploads/f/5": Array(0..<5), "uploads/f/8": Array(0..<8)])
            #expect(storage.requests.count { $0.hasPrefix("PUT ") } == 5)
        }
    }
}
