import ParleyModel

/// Batches of plain messages to one thread.
struct TestBatch {
    let thread: ThreadID
    let sender: User

    /// The messages with these seqs; the offsets equal the seqs.
    func batch(_ seqs: ClosedRange<Int64>) -> IngestBatch {
        let entries = seqs.map { seq in
            let message = Message(
                id: MessageID(trusted: "m\(seq)"), sender: sender, text: "text \(seq)", clientID: "c\(seq)")
            let event = LogEvent(
                thread: thread, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000 + seq,
                messageCount: seq, body: .message(message))
            return IngestBatch.Entry(offset: "\(seq)", content: .event(event))
        }
        return IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries)
    }
}
