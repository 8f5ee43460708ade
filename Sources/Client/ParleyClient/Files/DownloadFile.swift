import Foundation

/// The file of a download.
///
/// The file is written next to its destination until it is complete. An interrupted download can therefore continue,
/// and no reader sees a partial file. The actor runs on a queue of its own.
actor DownloadFile {
    private nonisolated let executor = QueueExecutor(label: "parley.client.download")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let destination: URL
    private let part: URL
    private var handle: FileHandle?

    init(path: String, attachment: String) {
        destination = URL(filePath: path)
        part = URL(filePath: "\(path).\(attachment).part")
    }

    /// - Returns: The number of bytes that are already on the device.
    func open() throws(ChatError) -> Int {
        let path = part.path(percentEncoded: false)
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        do {
            let handle = try FileHandle(forUpdating: part)
            self.handle = handle
            return Int(try handle.seekToEnd())
        } catch {
            throw .storage("\(path) cannot be written")
        }
    }

    /// Appends bytes. An offset of 0 starts the file over.
    func write(_ bytes: [UInt8], at offset: Int) throws(ChatError) {
        do {
            try handle?.truncate(atOffset: UInt64(offset))
            try handle?.seek(toOffset: UInt64(offset))
            try handle?.write(contentsOf: bytes)
        } catch {
            throw .storage("the file cannot be written: \(error)")
        }
    }

    /// Moves the file to its destination atomically; an existing file stays in place until then.
    func finish() throws(ChatError) {
        do {
            // Without this, a power failure could leave an empty file at the destination.
            try handle?.synchronize()
            try handle?.close()
            handle = nil
        } catch {
            throw .storage("the file cannot be written: \(error)")
        }
        guard rename(part.path(percentEncoded: false), destination.path(percentEncoded: false)) == 0 else {
            throw .storage("the file cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
