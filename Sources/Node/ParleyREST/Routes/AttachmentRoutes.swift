import HTTPTypes
import Hummingbird
import NIOCore
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Uploads and downloads of files.
func attachmentRoutes(_ services: RESTServices) -> [Route] {
    let path = "/v1/attachments/{id}"
    return [
        Route(.get, path: "/v1/attachments", for: .user, budget: .lists) { _, context in
            let (settings, usage) = try await services.messaging.attachmentUsage(of: Caller(context.caller))
            return .json(JSONTree(settings, usage))
        },
        Route(.post, path: "/v1/attachments", for: .user) { request, context in
            try await services.declareAttachment(request, context)
        },
        Route(.get, .head, path: path, for: .userOrBackEnd, budget: .files) { request, context in
            try await services.downloadAttachment(request, context)
        },
        Route(.patch, path: path, for: .user) { request, context in
            try await services.continueUpload(request, context)
        },
        Route(.delete, path: path, for: .user) { _, context in
            try await services.messaging.discardFile(try context.attachmentID(), of: Caller(context.caller))
            return .nothing()
        },
    ]
}

extension CallContext {
    fileprivate func attachmentID() throws(APIError) -> AttachmentID {
        guard let id = parameter("id").flatMap({ AttachmentID($0) }) else {
            throw APIError(.notFound, "no such attachment")
        }
        return id
    }
}

extension RESTServices {
    // MARK: Uploads

    /// Declares a file by a form, by JSON, or by the query. In the last case the body is the file.
    fileprivate func declareAttachment(
        _ request: Request, _ context: CallContext<Identity>
    ) async throws -> Response {
        let query = try request.queryFields()
        let hasBytes = query.has("name")
        // The body contains the complete declaration, so these fields in the query would be ignored.
        for name in ["type", "size", "sha256"] where !hasBytes && query.has(name) {
            throw APIError.badRequest("\(name) is in the query without name, which declares the file there")
        }
        let fields = hasBytes ? query : try await request.bodyFields()
        let length = hasBytes ? request.headers[.contentLength].flatMap { Int64($0) } : nil
        guard let size = try fields.number("size", upTo: 1 << 53) ?? length else {
            throw APIError.badRequest("size is missing")
        }
        let file = try await messaging.declare(
            FileDeclaration(
                name: try fields.text("name"), type: try fields.textIfPresent("type") ?? "", size: size,
                sha256: try fields.textIfPresent("sha256")), by: Caller(context.caller))
        let attachment = hasBytes ? try await receive(request, for: file) : file.attachment
        return .json(JSONTree(attachment), status: .created, headers: [.location: attachment.path])
    }

    /// Appends the body to an upload, at the offset that the client assumes.
    fileprivate func continueUpload(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let file = try await messaging.ownFile(try context.attachmentID(), of: Caller(context.caller))
        let attachment = file.attachment
        guard let offset = request.headers[.uploadOffset].flatMap(Self.offset) else {
            throw APIError.badRequest("Upload-Offset is missing or not a whole number")
        }
        guard !attachment.isComplete, offset == attachment.received else {
            var error = APIError(
                .conflict,
                attachment.isComplete
                    ? "the upload is complete" : "the upload continues at offset \(attachment.received)")
            error.headers[.uploadOffset] = "\(attachment.received)"
            throw error
        }
        let result = try await receive(request, for: file)
        return .json(JSONTree(result), headers: [.uploadOffset: "\(result.received)"])
    }

    /// Parses digits only, since `Int64` would accept a sign.
    private static func offset(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    private func receive(_ request: Request, for file: OwnFile) async throws -> Attachment {
        let attachment = file.attachment
        // There is no need to read a body that is announced as too large.
        if let length = request.headers[.contentLength].flatMap({ Int64($0) }),
            length > attachment.size - attachment.received
        {
            throw APIError(
                .tooLarge,
                "the body has \(length) bytes, and the file has only \(attachment.size - attachment.received) more")
        }
        var pieces = request.body.makeAsyncIterator()
        return try await file.append {
            do {
                return try await pieces.next().map { Array($0.readableBytesView) }
            } catch {
                throw BrokenBody(cause: error)
            }
        }
    }

    // MARK: Downloads

    /// Returns the bytes to a user who may read them, or the progress of an upload to its owner.
    fileprivate func downloadAttachment(
        _ request: Request, _ context: CallContext<Principal>
    ) async throws -> Response {
        let file = try await messaging.file(try context.attachmentID(), for: context.caller)
        let attachment = file.attachment
        if attachment.isComplete { return try await AttachmentDownload(file: file).response(to: request) }
        guard request.method == .head else { throw APIError(.conflict, "the upload is not complete") }
        return Response(
            status: .ok,
            headers: [.uploadOffset: "\(attachment.received)", .uploadLength: "\(attachment.size)"])
    }
}
