package import Foundation

/// The copies of files that the outbox sends, in a folder next to the database or in memory.
///
/// A copy is named after its outbox entry and the file's index in it, and is removed with the entry. The actor runs on
/// a queue of its own, because file access blocks.
package actor FileStage {
    private nonisolated let executor = QueueExecutor(label: "parley.client.files")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The folder of the copies; `nil` if they are in memory.
    private nonisolated let folder: URL?
    /// The maximum number of bytes of all copies.
    private let limit: Int
    private var sizes: [String: Int] = [:]
    private var contents: [String: [UInt8]] = [:]
    private let synchronize: @Sendable (URL) throws -> Void

    /// - Parameters:
    ///   - folder: The folder of the copies, created with the first copy.
    ///   - limit: The maximum number of bytes of all copies.
    ///   - entries: The outbox. Copies of other entries are removed; they remain when a process ends before it stores
    ///     an entry or after it removes one.
    ///   - synchronize: A closure that writes a file, or the names in a folder, to the disk.
    package init(
        folder: String?, limit: Int, entries: [ClientOutboxEntry],
        synchronize: @escaping @Sendable (URL) throws -> Void = FileStage.synchronize
    ) {
        self.synchronize = synchronize
        self.folder = folder.map { URL(filePath: $0, directoryHint: .isDirectory) }
        self.limit = limit
        for entry in entries {
            for (index, file) in entry.files.enumerated() { sizes[Self.name(entry.id, index)] = file.size }
        }
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where sizes[name] == nil { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
    }

    private static func name(_ entry: String, _ index: Int) -> String { "\(entry)-\(index)" }

    /// Returns the URL of a copy; the URL is empty if the copy is in memory.
    nonisolated func url(of entry: String, _ index: Int) -> String {
        folder?.appending(path: Self.name(entry, index), directoryHint: .notDirectory).absoluteString ?? ""
    }

    package static func synchronize(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        try handle.synchronize()
    }

    /// Copies all files of a message, or none. When this method returns, the copies are as durable as the outbox entry
    /// that refers to them.
    /// - Throws: ``ChatError/invalid(_:_:)`` if a file cannot be read or is empty, or if there is no room;
    ///   ``ChatError/storage(_:)``.
    package func add(_ files: [LocalFile], for entry: String) throws(ChatError) -> [OutboxFile] {
        var added: [OutboxFile] = []
        do {
            try createFolder()
            for (index, file) in files.enumerated() {
                let size = try copy(file, to: Self.name(entry, index))
                added.append(
                    OutboxFile(
                        name: file.name, mediaType: file.mediaType, size: size, width: file.width,
                        height: file.height, durationMilliseconds: file.durationMilliseconds))
            }
            // Synchronizes the names of the copies.
            if let folder { try synchronize(folder) }
        } catch {
            remove(entry)
            throw error as? ChatError ?? .storage("\(error)")
        }
        return added
    }

    private func createFolder() throws {
        guard let folder, !FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)) else { return }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try synchronize(folder.deletingLastPathComponent())
    }

    private func copy(_ file: LocalFile, to name: String) throws -> Int {
        let room = limit - sizes.values.reduce(0, +)
        let reader = try FileReader(file)
        guard reader.size > 0 else { throw ChatError.invalid(.fileEmpty, "\(file.name) is empty") }
        guard reader.size <= room else {
            throw ChatError.invalid(
                .waitingFilesTooLarge(bytes: limit),
                "files that wait to be sent have at most \(limit) bytes; \(room) are left")
        }
        sizes[name] = reader.size
        guard let folder else {
            contents[name] = try reader.read(0..<reader.size)
            return reader.size
        }
        let copy = folder.appending(path: name, directoryHint: .notDirectory)
        switch file.content {
        case .bytes(let bytes): try Data(bytes).write(to: copy)
        // A copy takes no space on a file system that supports clones.
        case .path(let path):
            try FileManager.default.copyItem(at: URL(filePath: path).resolvingSymlinksInPath(), to: copy)
        }
        try synchronize(copy)
        let size = try FileReader(path: copy.path(percentEncoded: false)).size
        sizes[name] = size
        return size
    }

    /// Reads bytes of a copy.
    func read(_ entry: String, _ index: Int, _ range: Range<Int>) throws -> [UInt8] {
        if let folder {
            let copy = folder.appending(path: Self.name(entry, index), directoryHint: .notDirectory)
            return try FileReader(path: copy.path(percentEncoded: false)).read(range)
        }
        guard let bytes = contents[Self.name(entry, index)], bytes.count >= range.upperBound else {
            throw ChatError.storage("the file is not in memory any more")
        }
        return Array(bytes[range])
    }

    /// Reads all bytes of a file that does not belong to an entry.
    /// - Throws: ``ChatError/invalid(_:_:)`` if the file cannot be read, is empty, or has more bytes than `limit`.
    func load(_ file: LocalFile, limit: Int) throws -> [UInt8] {
        let reader = try FileReader(file)
        guard (1...limit).contains(reader.size) else {
            throw ChatError.invalid(
                reader.size == 0 ? .fileEmpty : .fileTooLarge(bytes: limit),
                "\(file.name) has \(reader.size) bytes; allowed are 1 to \(limit)")
        }
        return try reader.read(0..<reader.size)
    }

    /// Removes the copies of an entry.
    func remove(_ entry: String) {
        for name in sizes.keys where name.hasPrefix(entry + "-") {
            sizes[name] = nil
            contents[name] = nil
            if let folder { try? FileManager.default.removeItem(at: folder.appending(path: name)) }
        }
    }
}
