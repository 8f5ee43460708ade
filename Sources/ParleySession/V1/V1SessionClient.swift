/// What a v1 session reads from its owner while it decides.
package protocol V1SessionClient: SessionClient {
    /// The number of bytes in the channel that wait to be written to the kernel.
    var waitingBytes: Int { get }
    /// Unix time in milliseconds.
    var milliseconds: Int64 { get }
}
