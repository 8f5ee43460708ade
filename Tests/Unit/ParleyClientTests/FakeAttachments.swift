import Foundation
import ParleyClient
import ParleyJSON
import ParleyModel

/// The attachments of a server, as a value: uploads at offsets, completion, downloads by range.
struct FakeAttachments {
    struct File {
        var name: String
        var type: String
        var size: Int
        var bytes: [UInt8] = []
        var isComplete = false

        /// The part of a message that the server makes of it.
        func part(_ id: AttachmentID, _ sent: MediaPart) -> MessagePart {
            .media(
                MediaPart(
                    type: type, url: "/v1/attachments/\(id)", name: name, size: Int64(size),
                    durationMilliseconds: sent.durationMilliseconds, attachment: id))
        }
    }

    var files: [String: File] = [:]
    /// What was asked for, for example `PATCH f1 0`.
    var requests: [String] = []
    var deleted: [String] = []
    /// The next requests are answered so.
    var refusals: [(status: Int, code: String)] = []
    /// So many of the next `PATCH`es are cut off when half of their bytes have arrived.
    var cuts = 0
    private var lastID = 0

    mutating func answer(_ request: TransportRequest) throws -> TransportResponse {
        let path = request.url.split(separator: "?")[0].split(separator: "/").dropFirst(2).map(String.init)
        let id = path.count > 2 ? path[2] : ""
        let offset = Self.header("Upload-Offset", request).flatMap { Int($0) }
        requests.append(([request.method, id] + (offset.map { ["\($0)"] } ?? [])).joined(separator: " "))
        if let refusal = refusals.first {
            refusals.removeFirst()
            return Self.error(refusal.status, refusal.code)
        }
        if request.method == "POST" { return declare(request) }
        if id.isEmpty {
            let text =
                #"{"max_bytes":1000,"types":["*/*"],"used_bytes":5,"quota_bytes":null,"used_files":1,"quota_files":9}"#
            return TransportResponse(status: 200, headers: [], body: Array(text.utf8))
        }
        guard let file = files[id] else { return Self.error(404, "not_found") }
        switch request.method {
        case "HEAD":
            return TransportResponse(
                status: 200, headers: [("Upload-Offset", "\(file.bytes.count)"), ("Upload-Length", "\(file.size)")],
                body: [])
        case "PATCH": return try append(request.body, at: offset ?? -1, to: id)
        case "DELETE":
            files[id] = nil
            deleted.append(id)
            return TransportResponse(status: 204, headers: [], body: [])
        default: return Self.range(Self.header("Range", request), of: file)
        }
    }

    private mutating func declare(_ request: TransportRequest) -> TransportResponse {
        lastID += 1
        let id = "f\(lastID)"
        let tree = (try? JSONTree(parsing: request.body)) ?? .null
        // With the declaration in the query, the body is the file.
        let isWhole = request.url.contains("?")
        var file = File(
            name: tree["name"]?.text ?? "", type: tree["type"]?.text ?? "",
            size: tree["size"]?.integer.map(Int.init) ?? request.body.count)
        if isWhole { (file.bytes, file.isComplete) = (request.body, true) }
        files[id] = file
        return TransportResponse(status: 201, headers: [], body: described(id))
    }

    private mutating func append(_ bytes: [UInt8], at offset: Int, to id: String) throws -> TransportResponse {
        guard var file = files[id] else { return Self.error(404, "not_found") }
        guard !file.isComplete, offset == file.bytes.count else {
            let error = Self.error(409, "conflict")
            return TransportResponse(
                status: 409, headers: [("Upload-Offset", "\(file.bytes.count)")], body: error.body)
        }
        let isCut = cuts > 0
        cuts = max(0, cuts - 1)
        file.bytes += isCut ? bytes.prefix(bytes.count / 2) : bytes[...]
        file.isComplete = !isCut && file.bytes.count == file.size
        files[id] = file
        if isCut { throw ChatError.noAnswer("cut off") }
        return TransportResponse(status: 200, headers: [], body: described(id))
    }

    private func described(_ id: String) -> [UInt8] {
        JSONTree.object([
            "id": .text(id), "offset": .integer(Int64(files[id]?.bytes.count ?? 0)),
            "complete": .bool(files[id]?.isComplete ?? false),
        ]).json
    }

    private static func range(_ header: String?, of file: File) -> TransportResponse {
        let match = header?.wholeMatch(of: /bytes=([0-9]+)-([0-9]+)/)
        guard let from = match.flatMap({ Int($0.1) }), let to = match.flatMap({ Int($0.2) }) else {
            return TransportResponse(status: 200, headers: [], body: file.bytes)
        }
        guard from < file.bytes.count else {
            return TransportResponse(
                status: 416, headers: [("Content-Range", "bytes */\(file.bytes.count)")], body: [])
        }
        let end = min(to, file.bytes.count - 1)
        return TransportResponse(
            status: 206, headers: [("Content-Range", "bytes \(from)-\(end)/\(file.bytes.count)")],
            body: Array(file.bytes[from...end]))
    }

    static func error(_ status: Int, _ code: String) -> TransportResponse {
        TransportResponse(
            status: status, headers: [], body: Array(#"{"error":{"code":"\#(code)","message":"\#(code)"}}"#.utf8))
    }

    private static func header(_ name: String, _ request: TransportRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    /// The parts of a message as members get them; `nil` if it refers to a file that is not complete.
    func filled(_ parts: [MessagePart]) -> [MessagePart]? {
        var filled: [MessagePart] = []
        for part in parts {
            guard case .media(let media) = part, let id = media.attachment else {
                filled.append(part)
                continue
            }
            guard let file = files[id.text], file.isComplete else { return nil }
            filled.append(file.part(id, media))
        }
        return filled
    }
}
