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
            let attachments = try services.requireAttachments()
            return .json(JSONTree(attachments.settings, try await attachments.usage(of: context.user.id)))
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
            try await services.requireAttachments().discard(try context.attachmentID(), of: context.user.id)
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
    func requireAttachments() throws(APIError) -> Attachments {
        guard let attachments else { throw APIError(.notFound, "attachments are off on this server") }
        return attachments
    }

    // MARK: Uploads

    /// Declares a file by a form or JSON, or by the query; then the body is the file.
    fileprivate func declareAttachment(
        _ request: Request, _ context: CallContext<Identity>
    ) async throws -> Response {
        let attachments = try requireAttachments()
        let query = try request.queryFields()
        let hasBytes = query.has("name")
        let fields = hasBytes ? query : try await request.bodyFields()
        let length = hasBytes ? request.headers[.contentLength].flatMap { Int64($0) } : nil
        guard let size = try fields.number("size", upTo: 1 << 53) ?? length else {
            throw APIError.badRequest("size is missing")
        }
        var attachment = try await attachments.declare(
            Attachments.Declaration(
                name: try fields.text("name"), type: try fields.textIfPresent("type") ?? "", size: size,
                sha256: try fields.textIfPresent("sha256")), by: context.user)
        if hasBytes { attachment = try await receive(request, for: attachment, attachments) }
        return .json(JSONTree(attachment), status: .created, headers: [.location: attachment.path])
    }

    /// Appends the body to an upload, at the offset that the client believes it has.
    fileprivate func continueUpload(_ request: Request, _ context: CallContext<Identity>) async throws -> Response {
        let attachments = try requireAttachments()
        let attachment = try await attachments.findOwn(try context.attachmentID(), of: context.user.id)
        guard let offset = request.headers[.uploadOffset].flatMap({ Int64($0) }), offset >= 0 else {
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
        let result = try await receive(request, for: attachment, attachments)
        return .json(JSONTree(result), headers: [.uploadOffset: "\(result.received)"])
    }

    private func receive(
        _ request: Request, for attachment: Attachment, _ attachments: Attachments
    ) async throws -> Attachment {
        // A body that is announced as too large need not be read.
        if let length = request.headers[.contentLength].flatMap({ Int64($0) }),
            length > attachment.size - attachment.received
        {
            throw APIError(
                .tooLarge,
                "the body has \(length) bytes, and the file has only \(attachment.size - attachment.received) more")
        }
        var pieces = request.body.makeAsyncIterator()
        return try await attachments.append(to: attachment) {
            do {
                return try await pieces.next().map { Array($0.readableBytesView) }
            } catch {
                throw BrokenBody(cause: error)
            }
        }
    }

    // MARK: Downloads

    /// The bytes for those who may read them, or for its owner the progress of an upload.
    fileprivate func downloadAttachment(
        _ request: Request, _ context: CallContext<Caller>
    ) async throws -> Response {
        let attachments = try requireAttachments()
        let attachment = try await attachments.find(try context.attachmentID(), for: context.caller.user?.id)
        if attachment.isComplete {
            return try await AttachmentDownload(attachments: attachments, attachment: attachment)
                .response(to: request)
        }
        guard request.method == .head else { throw APIError(.conflict, "the upload is not complete") }
        return Response(
            status: .ok,
            headers: [.uploadOffset: "\(attachment.received)", .uploadLength: "\(attachment.size)"])
    }
}
