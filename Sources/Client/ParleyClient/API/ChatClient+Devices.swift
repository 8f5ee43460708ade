public import Foundation
import ParleyJSON

/// Devices on which the user is notified while no client is connected.
///
/// These methods require a connection and throw ``ChatError/offline`` without one.
extension ChatClient {
    /// Registers the app for Apple's push notifications, with the token that the system has given to the app.
    ///
    /// Call this after the login, at each start of the app, and when the system gives another token; that sets
    /// ``ChatDevice/lastUsed``. The device ends with the session of the client, so a logout needs no other call.
    ///
    /// ```swift
    /// try await client.registerDevice(token, environment: .sandbox)
    /// ```
    /// - Parameters:
    ///   - token: The token of `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`, 1 to 100 bytes.
    ///   - topic: The bundle ID of the app; `nil` for that of the main bundle.
    ///   - environment: The service that has made the token.
    /// - Returns: The device, whose ``ChatDevice/id`` ``removeDevice(_:)`` takes.
    /// - Throws: ``ChatError``; the code is `badRequest` for values that are not allowed.
    @discardableResult
    public func registerDevice(
        _ token: Data, topic: String? = nil, environment: ChatDeviceAddress.Environment = .production
    ) async throws -> ChatDevice {
        let topic = topic ?? Bundle.main.bundleIdentifier ?? ""
        return try await registerDevice(at: .apns(token: token, topic: topic, environment: environment))
    }

    /// Registers a device of any push service, or notes that it is in use.
    ///
    /// A device of another user becomes this user's. A user has at most 20 devices: another one replaces the device that
    /// was registered longest ago.
    /// - Parameter address: The address of the device at its push service. ``pushServices()`` says which ones the server
    ///   sends to; it registers devices of all kinds.
    /// - Returns: The device.
    /// - Throws: ``ChatError``; the code is `badRequest` for values that are not allowed.
    @discardableResult
    public func registerDevice(at address: ChatDeviceAddress) async throws -> ChatDevice {
        let tree = try await engine.call("POST", ["v1", "me", "devices"], body: address.json)
        guard let device = ChatDevice(tree) else { throw ChatError.noAnswer("no device") }
        return device
    }

    /// Returns the devices of the user, the last registered first, at most 20.
    /// - Throws: ``ChatError``.
    public func devices() async throws -> [ChatDevice] {
        let tree = try await engine.call("GET", ["v1", "me", "devices"])
        return (tree["devices"]?.elements ?? []).compactMap { ChatDevice($0) }
    }

    /// Ends a device: it gets no further notification until it is registered again.
    /// - Parameter id: The ID of the device.
    /// - Throws: ``ChatError``; the code is `notFound` if the user has no such device.
    public func removeDevice(_ id: ChatDevice.ID) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "devices", id.rawValue])
    }

    /// Returns the push services that the server sends to.
    /// - Throws: ``ChatError``.
    public func pushServices() async throws -> ChatPushServices {
        guard let services = ChatPushServices(try await engine.call("GET", ["v1", "push"])) else {
            throw ChatError.noAnswer("no push services")
        }
        return services
    }
}
