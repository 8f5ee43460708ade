/// Files of messages. They are declared, uploaded in pieces, and continued at the server's offset after an interruption
/// or a restart of the process. Each thread uploads one file at a time, before its message.
extension ChatMachine {
    /// The state of uploads between requests.
    package struct Uploads: Sendable {
        /// The number of the current request, by outbox entry.
        var requests: [String: (number: Int, since: Duration)] = [:]
        var piece = PieceSize()
        /// The earliest time of the next request, while the server is unavailable or a limit is exceeded.
        var gate: Duration?
        /// The earliest time of the next request of an outbox entry, while the server's state of its file is in doubt.
        var gates: [String: Duration] = [:]
        var backoff = FullJitterBackoff(ReconnectPolicy())
        var lastNumber = 0

        var deadline: Duration? { [gate, gates.values.min()].compactMap { $0 }.min() }

        mutating func open(at now: Duration) {
            if let gate, now >= gate { self.gate = nil }
            gates = gates.filter { now < $0.value }
        }

        mutating func connectionEnded() {
            gate = nil
            gates = [:]
        }

        mutating func forget(_ entry: String) {
            requests[entry] = nil
            gates[entry] = nil
        }

        mutating func forgetAll() {
            requests = [:]
            gates = [:]
        }
    }

    mutating func pumpUploads() {
        guard isGreeted, uploads.gate == nil, uploads.requests.count < limits.uploads else { return }
        let busy = Set(uploads.requests.keys.compactMap { outbox[$0]?.thread })
        for entry in outbox.nextUploads where !busy.contains(entry.thread) && uploads.gates[entry.id] == nil {
            guard uploads.requests.count < limits.uploads else { return }
            uploadNext(of: entry)
        }
    }

    private mutating func uploadNext(of entry: ClientOutboxEntry) {
        guard let index = entry.files.firstIndex(where: { !$0.isComplete }) else { return }
        let file = entry.files[index]
        let action: UploadStep.Action
        if let attachment = file.attachment {
            action =
                file.isVerified
                ? .append(
                    attachment: attachment, offset: file.offset,
                    count: min(uploads.piece.bytes, file.size - file.offset))
                : .ask(attachment: attachment)
        } else {
            action = .declare
        }
        uploads.lastNumber += 1
        uploads.requests[entry.id] = (uploads.lastNumber, now.uptime)
        act(
            .upload(
                UploadStep(number: uploads.lastNumber, entry: entry.id, index: index, file: file, action: action)))
    }

    // MARK: Answers

    mutating func answered(_ step: UploadStep, _ answer: UploadAnswer) {
        guard let request = uploads.requests[step.entry], request.number == step.number,
            var entry = outbox[step.entry]
        else {
            // The message was discarded in the meantime.
            if case .declared(let attachment) = answer { act(.deleteAttachments([attachment])) }
            return
        }
        uploads.requests[step.entry] = nil
        switch answer {
        case .declared(let attachment):
            entry.files[step.index].attachment = attachment
            entry.files[step.index].isVerified = true
            store(.entry(entry))
        case .has(let reported, let isComplete):
            // A broken server may report any offset. Reads and progress require an offset within the file.
            let offset = min(max(0, reported), step.file.size)
            entry.files[step.index].offset = offset
            entry.files[step.index].isComplete = isComplete
            entry.files[step.index].isVerified = true
            if case .append(_, let start, _) = step.action {
                uploads.piece.adapt(to: now.uptime - request.since)
                if offset > start || isComplete {
                    succeeded(&entry)
                } else {
                    doubted(&entry, step, "the server does not take the file")
                }
            } else if offset > step.file.offset {
                // An abandoned request has delivered bytes after all.
                succeeded(&entry)
            }
            if isComplete { store(.entry(entry)) }
        case .gone:
            entry.files[step.index].restart()
            if again(&entry, "the server has lost the file"), entry.attempts > 1 { wait(entry) }
        case .busy: doubted(&entry, step, "another request uploads the file")
        case .noAnswer:
            if case .append = step.action { uploads.piece.adapt(to: nil) }
            doubted(&entry, step, "the upload gets no answer")
        case .unreadable(let reason): fail(&entry, .other, reason, isRetryable: false)
        case .refused(.rateLimited, _, let pause):
            // A pause for the budget does not count as an attempt. The pause may be zero, so the back-off is added.
            uploads.gate = now.uptime + (pause ?? .zero) + uploads.backoff.next(using: &random)
        case .refused(.unavailable, let message, let pause):
            entry.files[step.index].isVerified = false
            let delay = uploads.backoff.next(using: &random)
            if again(&entry, message) { uploads.gate = now.uptime + (pause ?? .zero) + delay }
        case .refused(let code, let message, _):
            // The server removes a file that differs from its declaration.
            if case .append = step.action { entry.files[step.index].restart() }
            fail(&entry, code, message, isRetryable: false)
        }
        outbox.update(entry)
        note(messages: entry.thread)
    }

    private mutating func succeeded(_ entry: inout ClientOutboxEntry) {
        entry.attempts = 0
        uploads.backoff.reset()
    }

    private mutating func doubted(_ entry: inout ClientOutboxEntry, _ step: UploadStep, _ reason: String) {
        entry.files[step.index].isVerified = false
        if again(&entry, reason) { wait(entry) }
    }

    /// Counts an attempt. Too many attempts fail the message, because later messages of the thread wait for it.
    /// - Returns: Whether another attempt follows.
    private mutating func again(_ entry: inout ClientOutboxEntry, _ reason: String) -> Bool {
        entry.attempts += 1
        guard entry.attempts >= limits.attemptsWhileUnavailable else { return true }
        entry.attempts = 0
        fail(&entry, .unavailable, reason, isRetryable: true)
        return false
    }

    /// Delays an entry, longer after each attempt. Files of other threads continue.
    private mutating func wait(_ entry: ClientOutboxEntry) {
        var backoff = FullJitterBackoff(
            base: uploads.backoff.base, cap: uploads.backoff.cap, failures: max(0, entry.attempts - 1))
        uploads.gates[entry.id] = now.uptime + backoff.next(using: &random)
    }

    private mutating func fail(
        _ entry: inout ClientOutboxEntry, _ code: ServerErrorCode, _ message: String, isRetryable: Bool
    ) {
        entry.failure = ClientOutboxEntry.Failure(code: code, message: message, isRetryable: isRetryable)
        store(.entry(entry))
    }

    // MARK: The message

    /// Handles a message whose files the server does not find. The server removes files a day after their upload if no
    /// message refers to them.
    /// - Returns: Whether the files must be uploaded again.
    mutating func restoreFiles(of entry: inout ClientOutboxEntry) -> Bool {
        guard !entry.files.isEmpty, entry.receipt == nil, !entry.hasDoubtedFiles else { return false }
        entry.hasDoubtedFiles = true
        for index in entry.files.indices { entry.files[index].doubt() }
        return true
    }

    /// Removes the files of a message that leaves the outbox. The files on the server are removed too, unless the
    /// message is in the log.
    mutating func forgetFiles(of entry: ClientOutboxEntry) {
        guard !entry.files.isEmpty else { return }
        uploads.forget(entry.id)
        act(.removeFiles(entry: entry.id))
        let attachments = entry.files.compactMap(\.attachment)
        if entry.receipt == nil, !attachments.isEmpty { act(.deleteAttachments(attachments)) }
    }
}
