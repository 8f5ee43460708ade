package import ParleyModel
package import ParleyWire

extension V1Session {
    /// An action that the owner performs, in order.
    ///
    /// No result may be passed in while the actions of one step are being performed; one that is known at once is
    /// passed in afterwards.
    package enum Action: Hashable, Sendable {
        // MARK: To the client

        /// Encode and write a frame; report `wrote`.
        case send(V1Frame)
        /// Write these events in order, in one write; report `wrote`.
        case replay([LogEvent])
        /// Write the frames in the encoding of the socket, in order, in one write; report `wrote`.
        case write([HeldFrame])
        /// Call `drained` once no more than this many bytes wait in the channel, which may be the case already.
        case awaitDrain(below: Int)
        /// Close the connection; the last action of a session.
        case close(CloseReason)

        // MARK: Log

        /// Append a message; report `appended`.
        case append(V1Append)
        /// Record the attachments of a message and fill in its parts; report `attached`.
        case attach(V1Append)
        /// Edit or delete a message, or react to it; report `finished`.
        case change(number: UInt64, MessageChange, Membership)
        /// Find the end of the thread's log; report `foundEnds`.
        case findHead(ThreadID)
        /// Find the position up to which each thread's log has been delivered; report `foundEnds`.
        case findEnds([ThreadID])
        /// Call `MessageLog.events`; report `readLog`.
        case readLog(ThreadID, after: Int64, limit: Int)
        /// Call `MessageStore.events`; report `readStore`.
        case readStore(ThreadID, after: Int64, limit: Int)
        /// Find which of these events are stored; report `foundStored`.
        case findStored([Receipt])

        // MARK: Threads and users

        /// Look up these threads, which are not among the user's memberships here, and subscribe to those found; report
        /// `foundThreads`.
        case findThreads([ThreadID])
        /// Move the read cursor and notify the members; report `finished`.
        case markRead(number: UInt64, ThreadID, seq: Int64?)
        /// Publish a typing indicator to the thread, fire and forget; report `finished`.
        case showTyping(number: UInt64, Membership, isOn: Bool)
        /// Check the title, then join or create the room; report `finished`.
        case join(number: UInt64, title: String)
        /// End the membership, if there is one; report `finished`.
        case leave(number: UInt64, ThreadID)
        /// From now on pass in the `presence` of these users and no others, beginning with their present states; report
        /// `finished`.
        case watch(number: UInt64, [UserID])
        /// Verify that these are valid credentials of the same user, and bind the socket to them; report `finished`.
        case authenticate(number: UInt64, token: String)

        // MARK: The connection

        /// Call `wake` after this many microseconds, whatever happens before then.
        case wake(after: Int64)
        /// Pass in no more frames until `resumeReading`.
        case pauseReading
        case resumeReading
        /// Count an invalid frame or a rejected command.
        case refuse(V1ErrorCode)
    }
}
