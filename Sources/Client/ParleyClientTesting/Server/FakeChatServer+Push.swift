public import ParleyClient

/// Devices, and what notifies their users. The server sends no push.
extension FakeChatServer {
    /// Returns the devices of a user, the last registered first, with their addresses.
    ///
    /// ```swift
    /// let token = server.devices(of: ada).first?.address
    /// ```
    /// - Parameter user: The user.
    public func devices(of user: ChatUser) -> [FakeDevice] {
        state.withLock { $0.devices(of: user.id.rawValue) }
    }

    /// Ends all devices of a user, as a server does with tokens that their push service no longer knows.
    /// - Parameter user: The user.
    public func removeDevices(of user: ChatUser) {
        state.withLock { $0.devices[user.id.rawValue] = nil }
    }

    /// Returns what notifies a user, with the threads that have settings of their own.
    /// - Parameter user: The user.
    public func notificationSettings(of user: ChatUser) -> ChatNotificationSettings {
        state.withLock { $0.settings(of: user.id.rawValue) }
    }

    /// Sets what the server answers to ``ParleyClient/ChatClient/pushServices()``: at first, APNs only.
    /// - Parameter services: The services.
    public func setPushServices(_ services: ChatPushServices) {
        state.withLock { $0.pushServices = services }
    }
}
