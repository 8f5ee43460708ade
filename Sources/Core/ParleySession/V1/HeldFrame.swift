package import ParleyModel
package import ParleyWire

/// A frame that was held back. Two are equal if they have the same position in the same thread.
package struct HeldFrame: Hashable, Sendable {
    /// `nil` for a frame that belongs to no thread.
    package let thread: ThreadID?
    package let frame: SharedFrame

    init(_ thread: ThreadID?, _ frame: SharedFrame) {
        self.thread = thread
        self.frame = frame
    }

    package static func == (one: HeldFrame, other: HeldFrame) -> Bool {
        one.thread == other.thread && one.frame.position == other.frame.position
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(thread)
        hasher.combine(frame.position)
    }
}
