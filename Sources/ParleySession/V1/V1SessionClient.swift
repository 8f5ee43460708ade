/// What a v1 session asks of its surroundings while it decides.
package protocol V1SessionClient: SessionClient {
    /// How many bytes wait in the channel to be taken by the kernel.
    var waitingBytes: Int { get }
    /// Unix time in milliseconds.
    var milliseconds: Int64 { get }
}
