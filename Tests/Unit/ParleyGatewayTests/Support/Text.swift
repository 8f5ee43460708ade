import ParleyTestSupport

extension TestSocket {
    /// Sends a message as a classic client does.
    func say(_ text: String, in thread: String) async throws {
        try await send(json: .object(["message": .object(["id": .string(thread), "text": .string(text)])]))
    }

    /// Sends a message as a direct client does.
    func write(_ text: String, to name: String) async throws {
        try await send(json: .object(["toUser": .string(name), "message": .string(text)]))
    }

    /// The text of the next message, in either dialect.
    func nextText() async throws -> String? {
        let json = try await nextJSON()
        return json["text"]?.string ?? json["message"]?.string
    }
}

extension HTTPReply {
    /// `error.code` of the body, or what is there instead.
    var reason: String { errorCode ?? text }
}
