import NIOCore
import ParleyWire

/// Several frames in one encoding, as the bytes of one write.
struct GatheredFrames {
    let bytes: ByteBuffer
    /// How many frames there are in `bytes`: some have nothing to show in some dialects.
    let count: Int

    init(_ frames: [SharedFrame], _ encoding: Encoding) {
        var gathered: ByteBuffer?
        var count = 0
        for frame in frames {
            guard let bytes = frame.bytes(for: encoding) else { continue }
            count += 1
            // The first is taken as it is, so that a single frame is never copied.
            gathered.setOrWriteImmutableBuffer(bytes)
        }
        bytes = gathered ?? ByteBuffer()
        self.count = count
    }
}
