import Foundation
import ParleyClient
import ParleyJSON

/// A file of a ``FakeChatServer``.
struct FakeFile: Sendable {
    let owner: String
    let name: String
    let mediaType: String
    let size: Int
    var bytes: [UInt8] = []
    var isComplete: Bool { bytes.count == size }
}

/// REST calls for files: declarations, pieces at offsets, ranges.
extension FakeServerState {
    static let maximumFileBytes = 100 << 20

    mutating func answerFiles(_ call: FakeCall, _ user: String) -> TransportResponse {
        if call.method == "POST" { return declare(call, user) }
        guard call.path.count > 2 else { return limits(of: user) }
        let id = call.path[2]
        guard let file = files[id] else { return Self.missing }
        switch call.method {
        case "HEAD":
            return Self.answer(
                200, nil, [("Upload-Offset", "\(file.bytes.count)"), ("Upload-Length", "\(file.size)")])
        case "PATCH": return append(call, to: id, file)
        case "DELETE":
            files[id] = nil
            return Self.answer(204)
        default: return Self.piece(of: file, range: call.header("Range"))
        }
    }

    private func limits(of user: String) -> TransportResponse {
        let own = files.values.filter { $0.owner == user }
        return Self.answer(
            200,
            .object([
                "max_bytes": .integer(Int64(Self.maximumFileBytes)), "types": .array([.text("*/*")]),
                "used_bytes": .integer(Int64(own.reduce(0) { $0 + $1.bytes.count })), "quota_bytes": .null,
                "used_files": .integer(Int64(own.count)), "quota_files": .null,
            ]))
    }

    private mutating func declare(_ call: FakeCall, _ user: String) -> TransportResponse {
        // With the declaration in the query, the body is the file.
        let isWhole = call.query["name"] != nil
        let size = isWhole ? call.request.body.count : call.body["size"]?.int ?? 0
        guard (1...Self.maximumFileBytes).contains(size) else { return Self.refusal(413, .tooLarge) }
        let id = newID("f")
        files[id] = FakeFile(
            owner: user, name: call.query["name"] ?? call.body["name"]?.text ?? "",
            mediaType: call.query["type"] ?? call.body["type"]?.text ?? "application/octet-stream", size: size,
            bytes: isWhole ? call.request.body : [])
        return Self.answer(201, described(id))
    }

    private mutating func append(_ call: FakeCall, to id: String, _ file: FakeFile) -> TransportResponse {
        guard call.header("Upload-Offset") == "\(file.bytes.count)", !file.isComplete,
            file.bytes.count + call.request.body.count <= file.size
        else {
            let refusal = Self.refusal(409, .conflict)
            return TransportResponse(
                status: 409, headers: [("Upload-Offset", "\(file.bytes.count)")], body: refusal.body)
        }
        files[id]?.bytes += call.request.body
        return Self.answer(200, described(id))
    }

    private func described(_ id: String) -> JSONTree {
        .object([
            "id": .text(id), "url": .text("/v1/attachments/\(id)"),
            "offset": .integer(Int64(files[id]?.bytes.count ?? 0)), "complete": .bool(files[id]?.isComplete ?? false),
        ])
    }

    private static func piece(of file: FakeFile, range: String?) -> TransportResponse {
        let bounds = range?.wholeMatch(of: /bytes=([0-9]+)-([0-9]+)/)
        guard let from = bounds.flatMap({ Int($0.1) }), let to = bounds.flatMap({ Int($0.2) }), from <= to else {
            return TransportResponse(status: 200, headers: [], body: file.bytes)
        }
        guard from < file.bytes.count else {
            return answer(416, nil, [("Content-Range", "bytes */\(file.bytes.count)")])
        }
        let end = min(to, file.bytes.count - 1)
        return TransportResponse(
            status: 206, headers: [("Content-Range", "bytes \(from)-\(end)/\(file.bytes.count)")],
            body: Array(file.bytes[from...end]))
    }
}
