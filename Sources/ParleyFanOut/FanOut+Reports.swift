package import ParleyModel

extension FanOut {
    /// How far this node is in threads, for whoever looks into it; to be asked after `start`.
    /// - Returns: of each thread that the node is subscribed to, or about to be, the newest event that was handed on;
    ///   `nil` for one without any.
    package func progress(in threads: [ThreadID]) async -> [ThreadID: Position?] {
        await withCheckedContinuation { continuation in
            onHub { hub in
                var progress: [ThreadID: Position?] = [:]
                for thread in threads {
                    if let topic = hub.topics[.thread(thread)] { progress[thread] = .some(topic.gate.delivered) }
                }
                continuation.resume(returning: progress)
            }
        }
    }
}
