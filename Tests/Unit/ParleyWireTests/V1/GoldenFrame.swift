import Foundation
import NIOCore
import ParleyJSON
import ParleyTestSupport
import ParleyWire

/// A frame of the v1 dialect from `Tests/Fixtures/v1`, the reference for every implementation.
struct GoldenFrame {
    enum Direction: String {
        case client, server
    }

    let name: String
    let direction: Direction
    /// The exact bytes.
    let frame: ByteBuffer

    /// Names the file, the most helpful fact about an unreadable one.
    struct Unreadable: Error {
        let file: String
    }

    static let folder = Repository.url("Tests/Fixtures/v1")

    /// All frames, by name.
    static func all() throws -> [String: GoldenFrame] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var frames: [String: GoldenFrame] = [:]
        for file in files where file.pathExtension == "json" {
            let frame = try GoldenFrame(file)
            frames[frame.name] = frame
        }
        return frames
    }

    private init(_ file: URL) throws {
        var reader = JSONReader(Array(try Data(contentsOf: file)))
        var (name, direction, frame): (String?, Direction?, ByteBuffer?)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "name": name = try reader.string()
            case "direction": direction = Direction(rawValue: try reader.string())
            case "frame": frame = ByteBuffer(bytes: try reader.raw())
            default: try reader.skip()
            }
        }
        try reader.end()
        guard let name, let direction, let frame, name == file.deletingPathExtension().lastPathComponent else {
            throw Unreadable(file: file.lastPathComponent)
        }
        self.name = name
        self.direction = direction
        self.frame = frame
    }
}
