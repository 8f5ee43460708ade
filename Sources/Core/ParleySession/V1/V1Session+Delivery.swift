package import ParleyModel
package import ParleyWire

/// Frames that the client has not requested.
extension V1Session {
    /// Delivers events of one of the user's threads.
    /// - Parameters:
    ///   - frames: in order.
    ///   - bytes: their total size for this socket.
    /// - Returns: whether the owner is to write them all now; it does not call `wrote` for them.
    package mutating func deliver(
        _ frames: [SharedFrame], in thread: ThreadID, bytes: Int, waiting: Int, _ actions: inout [Action]
    ) -> Bool {
        guard phase != .closed else { return false }
        if hold != nil {
            if hold?.hold(frames, in: thread, bytes: bytes) == false { close(.lostTrack, &actions) }
            return false
        }
        var fresh = frames
        if !skips.isEmpty { fresh = unseen(frames, in: thread) }
        switch backlog.offer(bytes, fresh.seqs, in: thread, waiting: waiting) {
        case .deliver where fresh.count == frames.count:
            return true
        case .deliver:
            if !fresh.isEmpty { actions.append(.write(fresh.map { HeldFrame(thread, $0) })) }
        case .skip:
            if backlog.isBehind { awaitDrain(&actions) }
        case .lost:
            close(.lostTrack, &actions)
        }
        return false
    }

    /// Leaves out what the client has seen on another node, which is ahead of this one, and the events of an earlier epoch
    /// that this node has not left yet. `rolledBack` comes before the events of a later epoch.
    private mutating func unseen(_ frames: [SharedFrame], in thread: ThreadID) -> [SharedFrame] {
        guard let seen = skips[thread] else { return frames }
        let fresh = frames.filter { frame in
            guard let position = frame.position else { return true }
            return position.epoch == seen.epoch && position.seq > seen.seq
        }
        if let last = frames.last(where: { $0.position != nil })?.position, last.epoch == seen.epoch,
            last.seq >= seen.seq
        {
            skips[thread] = nil
        }
        return fresh
    }

    /// The user is now a member of a thread; called before anything of it is delivered.
    /// - Parameter thread: everything above its head is delivered.
    package mutating func membershipAdded(_ thread: V1Thread, _ actions: inout [Action]) {
        sendInOrder(.thread(.added, thread), &actions)
        // A resume could not be answered because the start of the log was not known.
        if unavailable[thread.thread.id] != nil {
            becameAvailable(thread.thread.id, after: thread.head, &actions)
        }
    }

    /// The user's mute in a thread has begun, changed, or been ended by a moderator (`nil`).
    package mutating func muteChanged(in thread: ThreadID, to mute: Sanction?, _ actions: inout [Action]) {
        sendInOrder(.mute(thread, mute), &actions)
    }

    /// The user's invitations have changed (`nil`), or the invitations or requests of a thread that the user moderates.
    package mutating func entrancesChanged(of thread: ThreadID?, _ actions: inout [Action]) {
        sendInOrder(.entrances(thread), &actions)
    }

    /// The options of a room have changed, or whether a direct thread is blocked.
    package mutating func roomChanged(
        _ thread: ThreadID, to options: RoomOptions, isBlocked: Bool, _ actions: inout [Action]
    ) {
        sendInOrder(.room(thread, options, isBlocked: isBlocked), &actions)
    }

    /// The user blocks other users than before.
    package mutating func blocksChanged(to users: [UserID], _ actions: inout [Action]) {
        sendInOrder(.blocks(users), &actions)
    }

    /// The user is no longer a member of a thread; nothing of it is delivered afterwards.
    package mutating func membershipRemoved(
        _ thread: V1Thread, at moment: Moment, _ actions: inout [Action]
    ) {
        guard phase != .closed else { return }
        let id = thread.thread.id
        skips[id] = nil
        unavailable[id] = nil
        if case .resume(var resuming)? = operation {
            // It is denied as a whole. Otherwise the user's own `left` is among the held events.
            hold?.forget(id)
            resuming.deny(id)
            go(on: resuming, at: moment.now, &actions)
        }
        sendInOrder(.thread(.removed, thread), &actions)
        advance(at: moment, &actions)
    }

    /// The epoch of a thread has changed.
    /// - Parameter resumption: `rolledBack` with the range that may be invalid; or, if everything that was delivered is
    ///   valid, `live` or `page`.
    package mutating func rolledBack(_ thread: ThreadID, _ resumption: V1Resumption, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        guard hold != nil else { return tell(resumption, of: thread, &actions) }
        if hold?.hold(resumption, of: thread) == false { close(.lostTrack, &actions) }
    }

    private mutating func tell(_ resumption: V1Resumption, of thread: ThreadID, _ actions: inout [Action]) {
        var resumption = resumption
        if let seen = skips[thread] {
            let isKnown = seen.epoch == resumption.epoch
            // Another node has told the client of this epoch, and sent it everything that this one leaves out.
            if isKnown, seen.seq >= resumption.to ?? 0 { return }
            skips[thread] = nil
            if !isKnown {
                // What the client has seen on another node may be void although everything delivered here is valid.
                resumption.state = .rolledBack
                resumption.to = max(resumption.to ?? 0, seen.seq)
            }
        }
        actions.append(.send(.resumed([thread: resumption], ref: nil)))
    }

    /// The log of a thread can be reached again; called before anything above `end` is delivered.
    /// - Parameter end: `nil` for a thread without events.
    package mutating func becameAvailable(_ thread: ThreadID, after end: Position?, _ actions: inout [Action]) {
        guard phase != .closed, let seen = unavailable.removeValue(forKey: thread) else { return }
        let frame = V1Frame.resumed([thread: resumption(of: thread, from: seen, at: end)], ref: nil)
        guard hold != nil else { return actions.append(.send(frame)) }
        if hold?.hold(frame, backIn: thread) == false { close(.lostTrack, &actions) }
    }

    /// The range that a client at a position lacks. The client loads it over REST, since it may be long.
    private mutating func resumption(of thread: ThreadID, from seen: Position, at end: Position?) -> V1Resumption {
        guard let end else {
            return seen.seq == 0
                ? V1Resumption(.live, from: 1, to: 0) : V1Resumption(.rolledBack, from: 1, to: seen.seq)
        }
        let next = seen.seq + (seen.seq < .max ? 1 : 0)
        if seen.seq == 0 || seen.epoch == end.epoch {
            if seen.seq < end.seq { return V1Resumption(.page, epoch: end.epoch, from: next, to: end.seq) }
            // The client has seen on another node what is still to come here.
            if seen.seq > end.seq { skips[thread] = seen }
            return V1Resumption(.live, epoch: end.epoch, from: next, to: seen.seq)
        }
        return V1Resumption(.rolledBack, epoch: end.epoch, from: 1, to: max(seen.seq, end.seq))
    }

    /// The presence of a watched user.
    package mutating func presence(_ presence: V1Presence, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        if backlog.isBehind {
            latePresence[presence.user] = presence
        } else {
            actions.append(.send(.presence(presence)))
        }
    }

    /// A user has another name or profile. Nothing is sent before `hello`: what the client loads afterwards has the change.
    package mutating func profileChanged(of user: UserID, _ frame: SharedFrame, _ actions: inout [Action]) {
        guard phase != .closed, phase != .opening else { return }
        if !backlog.isBehind {
            actions.append(.write([HeldFrame(nil, frame)]))
        } else if lateProfiles.count < Self.lateProfileLimit || lateProfiles[user] != nil {
            lateProfiles[user] = frame
        }
    }

    /// Sends a frame after the held events, if there are any.
    private mutating func sendInOrder(_ frame: V1Frame, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        guard hold != nil else { return actions.append(.send(frame)) }
        if hold?.hold(frame) == false { close(.lostTrack, &actions) }
    }

    // MARK: Live delivery

    /// Sends the held events; from now on events are sent at once.
    mutating func goLive(_ actions: inout [Action]) {
        phase = .live
        guard let hold else { return }
        self.hold = nil
        var frames: [HeldFrame] = []
        for item in hold.items {
            switch item {
            case .frames(let thread, let held):
                frames += unseen(held, in: thread).map { HeldFrame(thread, $0) }
            case .control(let frame), .back(_, let frame):
                write(&frames, &actions)
                actions.append(.send(frame))
            case .renumbered(let thread, let resumption):
                write(&frames, &actions)
                tell(resumption, of: thread, &actions)
            }
        }
        write(&frames, &actions)
        if !hold.skipped.isEmpty { actions.append(.send(.behind(hold.skipped))) }
    }

    private func write(_ frames: inout [HeldFrame], _ actions: inout [Action]) {
        if !frames.isEmpty { actions.append(.write(frames)) }
        frames = []
    }

    // MARK: Slow readers

    /// Reports the bytes written for an action.
    package mutating func wrote(_ bytes: Int) {
        backlog.wrote(bytes)
    }

    /// Reports that the channel has drained, as `awaitDrain` requested.
    package mutating func drained(at moment: Moment, _ actions: inout [Action]) {
        guard phase != .closed, awaitsDrain else { return }
        awaitsDrain = false
        guard !backlog.isAboveLowMark(waiting: moment.waitingBytes) else { return awaitDrain(&actions) }
        let ranges = backlog.recover()
        if !ranges.isEmpty { actions.append(.send(.behind(ranges))) }
        for presence in latePresence.values.sorted(by: { $0.user.text < $1.user.text }) {
            actions.append(.send(.presence(presence)))
        }
        latePresence = [:]
        let profiles = lateProfiles.sorted { $0.key.text < $1.key.text }.map { HeldFrame(nil, $0.value) }
        if !profiles.isEmpty { actions.append(.write(profiles)) }
        lateProfiles = [:]
        if case .resume(let resuming)? = operation { go(on: resuming, at: moment.now, &actions) }
        advance(at: moment, &actions)
    }

    mutating func awaitDrain(_ actions: inout [Action]) {
        guard !awaitsDrain else { return }
        awaitsDrain = true
        actions.append(.awaitDrain(below: backlog.lowMark))
    }
}
