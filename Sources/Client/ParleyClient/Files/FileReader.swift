import Foundation

/// Reads the bytes of a ``LocalFile``. Its methods block.
struct FileReader {
    private enum Source {
        case bytes([UInt8])
        case handle(FileHandle)
    }

    private let source: Source
    /// The size in bytes when the file was opened.
    let size: Int

    /// - Throws: ``ChatError/invalid(_:_:)`` if the file cannot be read.
    init(_ file: LocalFile) throws(ChatError) {
        switch file.content {
        case .bytes(let bytes): self.init(.bytes(bytes), bytes.count)
        case .path(let path): try self.init(path: path)
        }
    }

    /// - Throws: ``ChatError/invalid(_:_:)`` if the file cannot be read.
    init(path: String) throws(ChatError) {
        do {
            let file = URL(filePath: path).resolvingSymlinksInPath()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ChatError.invalid(.fileUnreadable, "no file")
            }
            let handle = try FileHandle(forReadingFrom: file)
            self.init(.handle(handle), Int(try handle.seekToEnd()))
        } catch {
            throw .invalid(.fileUnreadable, "\(path) is no file that can be read")
        }
    }

    private init(_ source: Source, _ size: Int) {
        self.source = source
        self.size = size
    }

    /// - Throws: ``ChatError/invalid(_:_:)`` if the file has become shorter, or a system error.
    func read(_ range: Range<Int>) throws -> [UInt8] {
        switch source {
        case .bytes(let bytes): return Array(bytes[range])
        case .handle(let handle):
            try handle.seek(toOffset: UInt64(range.lowerBound))
            var bytes: [UInt8] = []
            while bytes.count < range.count, let data = try handle.read(upToCount: range.count - bytes.count),
                !data.isEmpty
            {
                bytes += data
            }
            guard bytes.count == range.count else {
                throw ChatError.invalid(.fileUnreadable, "the file has become shorter")
            }
            return bytes
        }
    }
}
