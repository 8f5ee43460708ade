// The part of Starscream 4's public API that the quickstart of the README uses, so that it can be compiled and run where
// Starscream itself, which needs Apple's Network framework, cannot. `connect` connects at once, and writes are printed.

@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

public enum WebSocketEvent {
    case connected([String: String])
    case disconnected(String, UInt16)
    case text(String)
    case binary(Data)
    case pong(Data?)
    case ping(Data?)
    case error((any Error)?)
    case viabilityChanged(Bool)
    case reconnectSuggested(Bool)
    case cancelled
    case peerClosed
}

public protocol WebSocketClient: AnyObject {
    func connect()
    func disconnect(closeCode: UInt16)
    func write(string: String, completion: (() -> Void)?)
    func write(data: Data, completion: (() -> Void)?)
}

extension WebSocketClient {
    public func write(string: String) { write(string: string, completion: nil) }
    public func write(data: Data) { write(data: data, completion: nil) }
    public func disconnect() { disconnect(closeCode: 1000) }
}

public protocol WebSocketDelegate: AnyObject {
    func didReceive(event: WebSocketEvent, client: any WebSocketClient)
}

open class WebSocket: WebSocketClient {
    public weak var delegate: (any WebSocketDelegate)?
    public var onEvent: ((WebSocketEvent) -> Void)?
    public var callbackQueue = DispatchQueue.main
    public var request: URLRequest

    public init(request: URLRequest) {
        self.request = request
    }

    public func connect() {
        print("url \(request.url?.absoluteString ?? "")")
        for (name, value) in request.allHTTPHeaderFields ?? [:] { print("header \(name): \(value)") }
        delegate?.didReceive(event: .connected([:]), client: self)
    }

    public func disconnect(closeCode: UInt16) {}

    public func write(string: String, completion: (() -> Void)?) {
        print("frame \(string)")
        completion?()
    }

    public func write(data: Data, completion: (() -> Void)?) { completion?() }
}
