import Foundation
import ParleyBlobs
import ParleyModel
import Testing

@Suite("Attachments in a folder")
struct FolderBlobStoreTests {
    /// A folder that is removed after the test.
    private func withFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parley-blobs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    private func attachment(_ size: Int64, received: Int64 = 0, id: String? = nil) -> ParleyModel.Attachment {
        ParleyModel.Attachment(
            id: AttachmentID(trusted: id ?? String(repeating: "0a", count: 16)), owner: UserID(trusted: "u"),
            name: "a", type: MediaType.binary, size: size, received: received, created: 0)
    }

    private func write(_ text: String, to attachment: ParleyModel.Attachment, of store: FolderBlobStore) async throws
        -> Int64
    {
        let writer = try await store.append(to: attachment)
        try await writer.write(Array(text.utf8))
        let progress = try await writer.save(isLast: true)
        await writer.close()
        return progress.received
    }

    private func text(of attachment: ParleyModel.Attachment, _ range: Range<Int64>, _ store: FolderBlobStore)
        async throws -> String
    {
        let reader = try await store.read(attachment, range)
        var bytes: [UInt8] = []
        while let next = try await reader.next() { bytes += next }
        await reader.close()
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("an upload in pieces is readable when it is finished, in ranges, by another process too")
    func pieces() async throws {
        try await withFolder { folder in
            let store = try FolderBlobStore(path: folder.path)
            #expect(try await write("hello ", to: attachment(11), of: store) == 6)
            await #expect(throws: BlobError.lost) { try await store.finish(attachment(11)) }
            await #expect(throws: BlobError.lost) { _ = try await store.read(attachment(11), 0..<1) }
            let other = try FolderBlobStore(path: folder.path)
            #expect(try await write("world", to: attachment(11, received: 6), of: other) == 11)
            for _ in 0..<2 { try await other.finish(attachment(11)) }
            #expect(try await text(of: attachment(11), 0..<11, store) == "hello world")
            #expect(try await text(of: attachment(11), 4..<7, store) == "o w")
            for _ in 0..<2 { try await store.remove(attachment(11)) }
            await #expect(throws: BlobError.lost) { _ = try await store.read(attachment(11), 0..<1) }
        }
    }

    @Test("bytes that were not recorded are dropped, and missing ones are noticed")
    func truncates() async throws {
        try await withFolder { folder in
            let store = try FolderBlobStore(path: folder.path)
            _ = try await write("abcdef", to: attachment(6), of: store)
            #expect(try await write("XYZ!", to: attachment(6, received: 2), of: store) == 6)
            try await store.finish(attachment(6))
            #expect(try await text(of: attachment(6), 0..<6, store) == "abXYZ!")
            let short = attachment(9, received: 5, id: String(repeating: "1b", count: 16))
            await #expect(throws: BlobError.lost) { _ = try await store.append(to: short) }
        }
    }

    @Test("one request at a time appends")
    func isLocked() async throws {
        try await withFolder { folder in
            let store = try FolderBlobStore(path: folder.path)
            let writer = try await store.append(to: attachment(6))
            await #expect(throws: BlobError.busy) { _ = try await store.append(to: attachment(6)) }
            await writer.close()
            _ = try await store.append(to: attachment(6))
        }
    }

    @Test(
        "nothing outside of the folder can be named",
        arguments: [
            "..", ".", "a", "..-etc-passwd", String(repeating: ".", count: 32), String(repeating: "A", count: 32),
        ])
    func noTraversal(id: String) async throws {
        try await withFolder { folder in
            let store = try FolderBlobStore(path: folder.path)
            await #expect(throws: BlobError.lost) { _ = try await store.append(to: attachment(1, id: id)) }
            await #expect(throws: BlobError.lost) { _ = try await store.read(attachment(1, id: id), 0..<1) }
            try await store.remove(attachment(1, id: id))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["uploads"])
        }
    }

    @Test("a link in place of a file is not followed, and files are private")
    func links() async throws {
        try await withFolder { folder in
            let store = try FolderBlobStore(path: folder.path)
            let secret = folder.appending(path: "secret")
            try "secret".write(to: secret, atomically: true, encoding: .utf8)
            let upload = folder.appending(path: "uploads/\(attachment(6).id)")
            try FileManager.default.createSymbolicLink(at: upload, withDestinationURL: secret)
            await #expect(throws: BlobError.self) { _ = try await store.append(to: attachment(6)) }
            try FileManager.default.removeItem(at: upload)
            _ = try await write("abcdef", to: attachment(6), of: store)
            let mode = try FileManager.default.attributesOfItem(atPath: upload.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("a folder that cannot be written is an error at once")
    func noFolder() {
        #expect(throws: BlobError.self) { _ = try FolderBlobStore(path: "/nonexistent/folder") }
    }
}
