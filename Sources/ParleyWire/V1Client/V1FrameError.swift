import ParleyModel

/// Why a frame is not a valid server frame of the v1 dialect.
package struct V1FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    static func missing(_ field: String, in type: String) -> V1FrameError {
        V1FrameError(description: "a frame of type \"\(type)\" lacks \"\(field)\", or it is of another kind")
    }
}
