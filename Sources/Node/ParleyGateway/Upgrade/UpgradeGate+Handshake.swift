import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import ParleyModel

/// Handshakes: decision, rejection and the switch of protocols.
extension UpgradeGate {
    func requestDecision(_ request: UpgradeRequest) {
        guard let context else { return }
        state = .deciding(request)
        // Bytes that the client sends until then wait in the kernel.
        setAutoRead(false)
        loop.heartbeats.schedule(self, after: services.settings.decisionTimeout)
        let (control, eventLoop) = (control, context.eventLoop)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let isTaken = loop.submit(on: loop.executor) {
            let decision = await control.decide(request, on: eventLoop)
            eventLoop.execute { bound.value.decided(decision) }
        }
        if !isTaken { reject(.undecided) }
    }

    private func decided(_ decision: Result<Admission, Rejection>) {
        switch (decision, state) {
        case (.success(let admission), .deciding) where isQuiescing || services.drain.isDraining:
            control.withdraw(admission)
            reject(.draining)
        case (.success(let admission), .deciding(let request)):
            accept(request, admission)
        case (.failure(let rejection), .deciding):
            reject(rejection)
        case (.success(let admission), _):
            control.withdraw(admission)
        case (.failure, _):
            break
        }
    }

    /// Sends a rejection and closes: first the output only, since closing with unread input would make the client's
    /// kernel discard the response.
    func reject(_ rejection: Rejection) {
        guard let context else { return }
        // The response to HEAD has no body.
        let isHead =
            switch state {
            case .handshake(let request), .deciding(let request), .behind(let request, _):
                request.head.method == .HEAD
            case .waiting, .passing, .over: false
            }
        state = .over
        decoder.next = .nothing
        http.fail(ChannelError.eof)
        loop.heartbeats.schedule(self, after: services.settings.closeTimeout)
        services.telemetry.metrics.answeredHandshake(status: Int(rejection.status.code))
        let requestID = UUIDv7(services.clock).description
        services.telemetry.debug(
            "handshake rejected", ["status": "\(rejection.status.code)", "request_id": "\(requestID)"])
        let body = rejection.body
        let head = rejection.head(bodyLength: body.readableBytes, requestID: requestID)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        setAutoRead(true)
    }

    private func accept(_ request: UpgradeRequest, _ admission: Admission) {
        guard let context else { return control.withdraw(admission) }
        var extra = HTTPHeaders([("X-Request-Id", admission.connection.text)])
        if let subprotocol = admission.subprotocol { extra.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if let extensions = admission.extensions { extra.add(name: "Sec-WebSocket-Extensions", value: extensions) }
        // Used for the headers of the response only, such as the hash of the key.
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: services.settings.limits.frameBytes, automaticErrorHandling: false,
            shouldUpgrade: { [extra] channel, _ in channel.eventLoop.makeSucceededFuture(extra) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        let headers = upgrader.buildUpgradeResponse(
            channel: context.channel, upgradeRequest: request.head, initialResponseHeaders: [:])
        headers.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let headers):
                switchProtocols(headers, admission)
            case .failure:
                control.withdraw(admission)
                reject(.badRequest("not a WebSocket handshake"))
            }
        }
    }

    private func switchProtocols(_ headers: HTTPHeaders, _ admission: Admission) {
        guard let context else { return control.withdraw(admission) }
        var headers = headers
        if !headers.contains(name: "connection") { headers.add(name: "Connection", value: "upgrade") }
        if !headers.contains(name: "upgrade") { headers.add(name: "Upgrade", value: "websocket") }
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        let pipeline = context.pipeline.syncOperations
        do {
            let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<RequestDecoder>.self)
            let check = try pipeline.context(handlerType: RequestCheck.self)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
            pipeline.removeHandler(context: encoder, promise: nil)
            let detacher = SocketDetacher(admission, by: control, services: services, loop: loop)
            try pipeline.addHandler(detacher, position: .after(self))
            services.telemetry.metrics.answeredHandshake(status: 101)
            // The decoder goes last: it passes on what it has read of the first frame. The rest stays in the kernel,
            // since nothing is read now.
            let removed = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            removed.futureResult.and(written.futureResult).assumeIsolated().whenComplete { result in
                if case .success = result { detacher.finish() } else { channel.close(promise: nil) }
            }
            pipeline.removeHandler(context: check, promise: nil)
            pipeline.removeHandler(self, promise: nil)
            pipeline.removeHandler(context: decoder, promise: removed)
        } catch {
            // The pipeline is being removed, and no detacher is in it to withdraw the admission.
            control.withdraw(admission)
            context.close(promise: nil)
        }
    }

    func setAutoRead(_ isOn: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}
