import Foundation

/// The file that a download writes: beside its destination until it is complete, so that a download that was cut off
/// continues, and nobody sees half a file. Runs on a queue of its own.
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

    /// - Returns: How many bytes are there already.
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

    /// Appends bytes, or begins anew with them.
    func write(_ bytes: [UInt8], at offset: Int) throws(ChatError) {
        do {
            try handle?.truncate(atOffset: UInt64(offset))
            try handle?.seek(toOffset: UInt64(offset))
            try handle?.write(contentsOf: bytes)
        } catch {
            throw .storage("the file cannot be written: \(error)")
        }
    }

    /// Gives the file its name, in one step: a file that has it is there until this one is in its place.
    func finish() throws(ChatError) {
        do {
            // Otherwise a power cut could leave an empty file under the name.
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
