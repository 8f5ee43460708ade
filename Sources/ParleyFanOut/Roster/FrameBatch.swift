package import NIOCore
package import ParleyWire

/// Several frames in one encoding, as the bytes of one write.
package struct FrameBatch {
    /// In order.
    package let frames: [SharedFrame]
    package let bytes: ByteBuffer
    /// How many of the frames there are in `bytes`: some have nothing to show in some dialects.
    package let count: Int

    init(_ frames: [SharedFrame], _ encoding: Encoding) {
        var gathered: ByteBuffer?
        var count = 0
        for frame in frames {
            guard let bytes = frame.bytes(for: encoding) else { continue }
            count += 1
            // The first is taken as it is, so that a single frame is never copied.
            gathered.setOrWriteImmutableBuffer(bytes)
        }
        self.frames = frames
        bytes = gathered ?? ByteBuffer()
        self.count = count
    }
}
