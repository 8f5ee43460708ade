/// The reason that an HTTP call failed.
package enum RESTFailure: Error, CustomStringConvertible {
    case timedOut(String)
    case tooLong
    case unreachable(url: String, reason: String)
    /// An unexpected status.
    case refused(path: String, status: Int, body: String)
    /// A response that violates the protocol.
    case malformed(path: String)

    package var description: String {
        switch self {
        case .timedOut(let path): "\(path) timed out"
        case .tooLong: "a response is longer than \(RESTClient.maximumBytes) bytes"
        case .unreachable(let url, let reason): "\(url) cannot be reached: \(reason)"
        case .refused(let path, let status, let body): "\(path) returned \(status): \(body)"
        case .malformed(let path): "the response of \(path) does not follow the protocol"
        }
    }
}
