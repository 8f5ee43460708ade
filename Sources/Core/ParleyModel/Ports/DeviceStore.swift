/// The devices that users have registered for push notifications.
///
/// A device ends with its session, in the same transaction; a device without a session ends when the credentials version of its
/// user rises. An erasure ends all devices of the user.
package protocol DeviceStore: Sendable {
    /// Registers a device, or notes that it is in use. It leaves another user who had it. If the user has more than
    /// `PushDevice.mostOfUser` devices, the least recently used ones end. A login that ends concurrently either ends the device
    /// or refuses it.
    func registerDevice(_ device: NewDevice, at milliseconds: Int64) async throws(StoreError) -> DeviceOutcome

    /// Returns the devices of a user, the last used first, except devices of expired sessions.
    /// - Parameter now: The current time in Unix milliseconds.
    func devices(of user: UserID, at now: Int64) async throws(StoreError) -> [PushDevice]

    /// - Returns: Whether the user had the device.
    func deleteDevice(_ id: DeviceID, of user: UserID) async throws(StoreError) -> Bool

    /// Returns the devices of users who are neither suspended nor erased, except devices of expired sessions. They are in the
    /// byte order of the users' IDs, and for each user the last used comes first.
    /// - Parameter users: At most `PushDevice.mostUsers`; the devices of further users are left out.
    func devicesToNotify(_ users: [UserID], at now: Int64) async throws(StoreError) -> [PushDevice]

    /// Removes a device that its push service does not know any longer, unless it was registered again after it was read.
    /// - Returns: Whether it was removed.
    func removeDeadDevice(_ device: PushDevice) async throws(StoreError) -> Bool
}
