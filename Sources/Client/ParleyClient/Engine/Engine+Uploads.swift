import ParleyJSON

/// Requests of uploads, one for each step of the core.
extension Engine {
    func perform(_ step: UploadStep) {
        Task {
            let answer = await answer(to: step)
            note(.answered(step, answer))
        }
    }

    private func answer(to step: UploadStep) async -> UploadAnswer {
        let response: TransportResponse
        do {
            switch step.action {
            case .declare:
                response = try await declare(step.file)
            case .ask(let attachment):
                response = try await request("HEAD", ["v1", "attachments", attachment])
            case .append(let attachment, let offset, let count):
                let bytes: [UInt8]
                do {
                    bytes = try await stage.read(step.entry, step.index, offset..<offset + count)
                } catch {
                    return .unreadable("the copy of the file cannot be read: \(error)")
                }
                response = try await append(bytes, to: attachment, at: offset)
            }
        } catch {
            return .noAnswer
        }
        return Self.answer(to: step.action, response)
    }

    private func declare(_ file: OutboxFile) async throws -> TransportResponse {
        let body = JSONTree.object([
            "name": .text(file.name), "type": .text(file.mediaType), "size": .integer(Int64(file.size)),
        ])
        return try await request(
            "POST", ["v1", "attachments"], headers: [("Content-Type", "application/json")], body: body.json)
    }

    private func append(_ bytes: [UInt8], to attachment: String, at offset: Int) async throws -> TransportResponse {
        try await request(
            "PATCH", ["v1", "attachments", attachment],
            headers: [("Upload-Offset", "\(offset)"), ("Content-Type", "application/octet-stream")], body: bytes)
    }

    /// Interprets the response to an upload request.
    static func answer(to action: UploadStep.Action, _ response: TransportResponse) -> UploadAnswer {
        let offset = response.header("Upload-Offset").flatMap { Int($0) }
        let tree = try? JSONTree(parsing: response.body)
        switch (action, response.status) {
        case (.declare, 200..<300):
            guard let id = tree?["id"]?.text else { return .noAnswer }
            return .declared(attachment: id)
        case (.ask, 200..<300):
            // An append request shows whether the file is complete.
            return offset.map { .has($0, isComplete: false) } ?? .noAnswer
        case (.append, 200..<300):
            guard let offset = tree?["offset"]?.int else { return .noAnswer }
            return .has(offset, isComplete: tree?["complete"]?.flag ?? false)
        case (.append(_, let start, let count), 409):
            // An upload that accepts no bytes at its end is complete.
            return offset.map { .has($0, isComplete: $0 == start && count == 0) } ?? .busy
        case (.ask, 404), (.append, 404): return .gone
        case (_, 401): return .noAnswer
        case (_, 409): return .busy
        default: break
        }
        let pause = response.header("Retry-After").flatMap { Int($0) }.map { Duration(retryAfter: $0) }
        let error = tree.flatMap { RESTError($0) }
        let code = error.flatMap { $0.code == .other ? nil : $0.code } ?? code(response.status)
        return .refused(
            code: code, message: error?.message ?? "status \(response.status)",
            retryAfter: pause)
    }

    /// A response to HEAD has no body with an error code.
    private static func code(_ status: Int) -> ServerErrorCode {
        switch status {
        case 400: .badRequest
        case 403: .forbidden
        case 404: .notFound
        case 413: .tooLarge
        case 429: .rateLimited
        case 408, 500...599: .unavailable
        default: .other
        }
    }

    /// Removes files that no message refers to. If this fails, the server removes them after a day.
    func delete(_ attachments: [String]) {
        Task {
            for id in attachments { _ = try? await request("DELETE", ["v1", "attachments", id]) }
        }
    }

    /// Uploads a file in one request.
    /// - Returns: The ID of the attachment.
    func upload(_ file: LocalFile, limit: Int) async throws -> String {
        try check(file)
        let bytes = try await stage.load(file, limit: limit)
        let query = [("name", file.name), ("type", file.mediaType)]
        let response = try await request(
            "POST", ["v1", "attachments"], query: query, headers: [("Content-Type", "application/octet-stream")],
            body: bytes)
        guard let id = try Self.content(of: response)["id"]?.text else { throw ChatError.noAnswer("no attachment") }
        return id
    }
}
