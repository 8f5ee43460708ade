import ParleyModel
import Testing

extension StoreFact {
    /// Attachments, their uses and their removal.
    static let attachments: [StoreFact] = [
        StoreFact("an upload advances only from where it is, and is complete once") { fixture in
            let ann = try await fixture.user("ann")
            let file = try await fixture.file("a", of: ann, size: 10)
            let store = fixture.store
            #expect(try await store.attachment(file.id) == file)
            #expect(try await !store.completeUpload(of: file.id, sha256: "s", dimensions: nil, due: 99))
            #expect(try await store.advanceUpload(of: file.id, from: 0, to: 4, upload: "x", due: 99))
            #expect(try await !store.advanceUpload(of: file.id, from: 0, to: 5, upload: nil, due: 99))
            #expect(try await store.attachment(file.id)?.received == 4)
            #expect(try await store.attachment(file.id)?.upload == "x")
            #expect(try await store.advanceUpload(of: file.id, from: 4, to: 10, upload: nil, due: 99))
            let size = ImageDimensions(width: 3, height: 4)
            for isFirst in [true, false] {
                #expect(
                    try await store.completeUpload(of: file.id, sha256: "s", dimensions: size, due: 99) == isFirst)
            }
            let complete = try await store.attachment(file.id)
            #expect(complete?.isComplete == true && complete?.dimensions == size && complete?.sha256 == "s")
            #expect(try await !store.advanceUpload(of: file.id, from: 10, to: 10, upload: nil, due: 99))
        },
        StoreFact("a quota counts declared sizes and files, until they are removed") { fixture in
            let ann = try await fixture.user("ann")
            let quota = AttachmentQuota(bytes: 10, files: 2)
            let add = { (name: String, size: Int64, quota: AttachmentQuota) in
                try await fixture.store.addAttachment(fixture.draft(name, of: ann, size: size), within: quota, due: 5)
            }
            #expect(try await add("a", 7, quota)?.isAdded == true)
            #expect(try await add("b", 4, quota)?.isAdded == false)
            #expect(try await add("b", 4, quota)?.usage == AttachmentUsage(bytes: 7, files: 1))
            #expect(try await add("b", 3, quota)?.isAdded == true)
            #expect(try await add("c", 0, quota)?.isAdded == false)
            #expect(try await add("c", .max, AttachmentQuota(bytes: 0, files: 0))?.isAdded == true)
            let nobody = User(id: UserID(trusted: "nobody"), name: "nobody")
            #expect(
                try await fixture.store.addAttachment(fixture.draft("z", of: nobody, size: 1), within: quota, due: 5)
                    == nil
            )
            #expect(try await fixture.removals(at: 5).count == 3)
            #expect(try await fixture.store.attachmentUsage(of: ann.id) == AttachmentUsage(bytes: 0, files: 0))
        },
        StoreFact("members of a thread in which a stored message refers to it may read an attachment, nobody else") {
            fixture in
            let (ann, bob, carl) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("carl")
            )
            let room = try await fixture.room("tea", ann, bob)
            let file = try await fixture.completeFile("a", of: ann)
            let readers = { () async throws -> [String] in
                var names: [String] = []
                for user in [ann, bob, carl]
                where try await fixture.store.attachment(file.id, readableBy: user.id) != nil {
                    names.append(user.name)
                }
                return names
            }
            #expect(try await readers() == ["ann"])
            let message = try await fixture.send(file, from: ann, in: room)
            let use = AttachmentUse(thread: room, message: try #require(message.message?.id))
            // The log decides about it.
            #expect(try await readers() == ["ann"])
            for (user, uses) in [(bob, [use]), (carl, [])] {
                #expect(try await fixture.store.unconfirmedUses(of: file.id, readableBy: user.id) == uses)
            }
            try await fixture.write(message)
            #expect(try await readers() == ["ann", "bob"])
            #expect(try await fixture.store.unconfirmedUses(of: file.id, readableBy: bob.id).isEmpty)
            try await fixture.write(fixture.leaving(bob, room))
            #expect(try await readers() == ["ann"])
        },
        StoreFact("only complete attachments of one's own can be used, all of a message or none") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (mine, theirs) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: bob)
            )
            let unfinished = try await fixture.file("c", of: ann, size: 5)
            let use = AttachmentUse(thread: room, message: MessageID(trusted: "m"))
            for other in [theirs, unfinished] {
                let found = try await fixture.store.useAttachments(
                    [mine.id, other.id], of: ann.id, in: use, recipient: nil, at: 1)
                #expect(Array(found.keys) == [mine.id])
            }
            #expect(try await fixture.database.count(.attachmentUses) == 0)
            let twice = try await fixture.store.useAttachments(
                [mine.id, mine.id], of: ann.id, in: use, recipient: nil, at: 1)
            #expect(twice[mine.id]?.isComplete == true)
            #expect(try await fixture.database.count(.attachmentUses) == 1)
            try await fixture.store.forgetUses(use, due: 7)
            #expect(try await fixture.database.count(.attachmentUses) == 0)
            #expect(try await fixture.removals(at: 6).isEmpty)
            #expect(try await fixture.removals(at: 7) == [mine.id])
        },
        StoreFact("the recipient of a first direct message may read its attachment when it is accepted or stored") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let file = try await fixture.completeFile("a", of: ann)
            let thread = ThreadInfo.directID(ann.id, bob.id)
            let message = try await fixture.send(file, from: ann, in: thread, to: bob)
            #expect(try await fixture.store.attachment(file.id, readableBy: bob.id) == nil)
            let uses = try await fixture.store.unconfirmedUses(of: file.id, readableBy: bob.id)
            #expect(uses.map(\.message) == [message.message?.id])
            try await fixture.write(message)
            #expect(try await fixture.store.attachment(file.id, readableBy: bob.id) != nil)
        },
        StoreFact("of many messages with an attachment that are not stored, the newest are looked for") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let file = try await fixture.completeFile("a", of: ann)
            var sent: [MessageID?] = []
            for number in 0..<Int64(AttachmentUse.unstoredLimit + 3) {
                let use = AttachmentUse(thread: room, message: MessageID(trusted: "m\(number)"))
                _ = try await fixture.store.useAttachments([file.id], of: ann.id, in: use, recipient: nil, at: number)
                sent.append(use.message)
            }
            let uses = try await fixture.store.unconfirmedUses(of: file.id, readableBy: bob.id)
            #expect(uses.map(\.message) == sent.suffix(AttachmentUse.unstoredLimit).reversed())
        },
        StoreFact("an attachment is due when the last message with it is deleted") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let file = try await fixture.completeFile("a", of: ann)
            let messages = [
                try await fixture.send(file, from: ann, in: room), try await fixture.send(file, from: ann, in: room),
            ]
            for message in messages { try await fixture.write(message) }
            #expect(try await fixture.removals(at: 1_000_000_000_000_000).isEmpty)
            try await fixture.write(fixture.delete(messages[0], by: ann))
            #expect(try await fixture.removals(at: 5).isEmpty)
            #expect(try await fixture.store.attachment(file.id) != nil)
            try await fixture.write(fixture.delete(messages[1], by: ann))
            #expect(try await fixture.removals(at: 5) == [file.id])
            #expect(try await fixture.store.attachment(file.id) == nil)
        },
        StoreFact("a message that is stored and deleted by one batch keeps no attachment") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let file = try await fixture.completeFile("a", of: ann)
            let message = try await fixture.send(file, from: ann, in: room)
            try await fixture.write(message, fixture.delete(message, by: ann))
            #expect(try await fixture.removals(at: 5) == [file.id])
        },
        StoreFact("a deleted thread keeps no attachment") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let file = try await fixture.completeFile("a", of: ann)
            try await fixture.write(try await fixture.send(file, from: ann, in: room))
            _ = try await fixture.store.deleteThread(room, by: ann.id) { _ in }
            try await fixture.store.finishCleanups()
            #expect(try await fixture.removals(at: 5) == [file.id])
        },
        StoreFact("an erased user's attachments cannot be read from then on, and are due") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (sent, unsent) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: ann)
            )
            try await fixture.write(try await fixture.send(sent, from: ann, in: room))
            // Never stored.
            _ = try await fixture.send(sent, from: ann, in: room)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            #expect(try await fixture.store.attachment(sent.id, readableBy: bob.id) == nil)
            #expect(try await fixture.database.count(.namedAttachments) == 0)
            #expect(Set(try await fixture.removals(at: 5)) == [sent.id, unsent.id])
            #expect(try await fixture.database.count(.attachmentUses) == 0)
            let late = fixture.draft("c", of: ann, size: 1)
            let quota = AttachmentQuota(bytes: 0, files: 0)
            #expect(try await fixture.store.addAttachment(late, within: quota, due: 5) == nil)
        },
        StoreFact("uploads and files that nobody has sent are due at their date, and can be discarded before") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let (unfinished, unsent) = (
                try await fixture.file("a", of: ann, size: 5), try await fixture.completeFile("b", of: ann)
            )
            let sent = try await fixture.completeFile("c", of: ann)
            _ = try await fixture.send(sent, from: ann, in: room)
            #expect(try await fixture.removals(at: StoreFixture.due - 1).isEmpty)
            #expect(try await fixture.store.discardAttachment(unsent.id, of: bob.id) == nil)
            #expect(try await fixture.store.discardAttachment(sent.id, of: ann.id) == false)
            #expect(try await fixture.store.discardAttachment(unsent.id, of: ann.id) == true)
            #expect(try await fixture.removals(at: 5) == [unsent.id])
            #expect(try await fixture.removals(at: StoreFixture.due) == [unfinished.id])
        },
        StoreFact("uses of messages that are not stored are checked again and again, until they are forgotten") {
            fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let (kept, lost) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: ann)
            )
            let store = fixture.store
            let start = fixture.milliseconds
            let stored = try await fixture.send(kept, from: ann, in: room)
            try await fixture.write(stored)
            let message = try await fixture.send(lost, from: ann, in: room)
            let use = AttachmentUse(thread: room, message: try #require(message.message?.id))
            let checked = CheckedUses(count: 1, unconfirmed: [use])
            #expect(try await store.checkUses(at: start, limit: 9) == CheckedUses(count: 0, unconfirmed: []))
            var now = fixture.milliseconds + AttachmentUse.checkMilliseconds
            for _ in 0..<3 {
                #expect(try await store.checkUses(at: now, limit: 9) == checked)
                #expect(try await store.checkUses(at: now, limit: 9).count == 0)
                now += AttachmentUse.checkMilliseconds
            }
            #expect(try await fixture.removals(at: 7).isEmpty)
            // A confirmed use is not forgotten.
            for event in [message, stored] {
                try await store.forgetUses(
                    AttachmentUse(thread: room, message: try #require(event.message?.id)), due: 7)
            }
            #expect(try await store.checkUses(at: .max / 2, limit: 9).count == 0)
            #expect(try await fixture.removals(at: 7) == [lost.id])
        },
        StoreFact("a use of a room that is deleted before its message is stored ends with the first check") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let (lost, kept) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: ann)
            )
            _ = try await fixture.send(lost, from: ann, in: room)
            // A direct thread begins with its first message.
            let pair = ThreadInfo.directID(ann.id, bob.id)
            let direct = try await fixture.send(kept, from: ann, in: pair, to: bob)
            _ = try await fixture.store.deleteThread(room, by: ann.id) { _ in }
            let soon = fixture.milliseconds + AttachmentUse.checkMilliseconds
            let left = AttachmentUse(thread: pair, message: try #require(direct.message?.id))
            #expect(
                try await fixture.store.checkUses(at: soon, limit: 9) == CheckedUses(count: 2, unconfirmed: [left]))
            #expect(try await fixture.removals(at: 5) == [lost.id])
        },
        StoreFact("everybody may read an avatar, which is due when another one replaces it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let store = fixture.store
            let first = try await fixture.completeFile("a", of: ann)
            let second = try await fixture.completeFile("b", of: ann)
            let (unfinished, foreign) = (
                try await fixture.file("c", of: ann, size: 5), try await fixture.completeFile("d", of: bob)
            )
            for file in [unfinished, foreign] {
                #expect(try await !store.setProfile(Profile(avatarURL: file.path), of: ann.id))
            }
            #expect(try await store.profiles(of: [ann.id]).isEmpty)
            #expect(try await store.setProfile(Profile(avatarURL: first.path), of: ann.id))
            #expect(try await store.attachment(first.id, readableBy: bob.id) != nil)
            #expect(try await store.attachment(second.id, readableBy: bob.id) == nil)
            #expect(try await store.discardAttachment(first.id, of: ann.id) == false)
            #expect(try await fixture.removals(at: StoreFixture.due - 1).isEmpty)
            // What is refused releases nothing.
            #expect(try await !store.setProfile(Profile(avatarURL: foreign.path), of: ann.id))
            #expect(try await fixture.database.count(.keptAttachments(first.id)) == 1)
            #expect(try await store.setProfile(Profile(displayName: "Ann", avatarURL: first.path), of: ann.id))
            #expect(try await store.setProfile(Profile(avatarURL: second.path), of: ann.id))
            #expect(try await fixture.removals(at: StoreFixture.due - 1) == [first.id])
            #expect(try await store.attachment(second.id, readableBy: bob.id) != nil)
            #expect(try await store.eraseUser(ann.id, at: 1).value)
            #expect(try await store.attachment(second.id, readableBy: bob.id) == nil)
            #expect(Set(try await fixture.removals(at: 5)) == [second.id, unfinished.id])
        },
        StoreFact("a password is not changed together with an avatar that is not the user's own") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let store = fixture.store
            let (mine, theirs) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: bob)
            )
            let token = TokenHash("t")
            try await store.createSession(AuthSession(tokenHash: token, user: ann, expires: .max))
            await #expect(throws: StoreError.noAvatar) {
                try await store.setPassword(
                    "h", and: Profile(avatarURL: theirs.path), of: ann.id, keeping: nil, ifVersion: nil)
            }
            #expect(try await store.credentials(named: "ann")?.passwordHash != "h")
            #expect(try await store.sessions([token]).count == 1)
            let changed = try await store.setPassword(
                "h", and: Profile(avatarURL: mine.path), of: ann.id, keeping: nil, ifVersion: nil)
            #expect(changed.value == [token])
            #expect(try await store.profiles(of: [ann.id])[ann.id]?.avatarURL == mine.path)
        },
        StoreFact("an avatar that was also sent outlives the message, and the message the avatar") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let (kept, sent) = (
                try await fixture.completeFile("a", of: ann), try await fixture.completeFile("b", of: ann)
            )
            let message = try await fixture.send(kept, from: ann, in: room)
            #expect(try await fixture.store.setProfile(Profile(avatarURL: kept.path), of: ann.id))
            try await fixture.write(message)
            try await fixture.write(fixture.delete(message, by: ann))
            #expect(try await fixture.removals(at: 5).isEmpty)
            try await fixture.write(try await fixture.send(sent, from: ann, in: room))
            #expect(try await fixture.store.setProfile(Profile(avatarURL: sent.path), of: ann.id))
            #expect(try await fixture.removals(at: 5) == [kept.id])
            #expect(try await fixture.store.setProfile(Profile(), of: ann.id))
            #expect(try await fixture.removals(at: 5).isEmpty)
        },
        StoreFact("a removal is claimed by one at a time, again when the claim expires, and ends all use") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let file = try await fixture.completeFile("a", of: ann)
            let (store, now) = (fixture.store, StoreFixture.due)
            #expect(try await store.claimRemovals(at: now, limit: 9).map(\.id) == [file.id])
            #expect(try await store.claimRemovals(at: now, limit: 9).isEmpty)
            let use = AttachmentUse(thread: room, message: MessageID(trusted: "m"))
            #expect(
                try await store.useAttachments([file.id], of: ann.id, in: use, recipient: nil, at: now).isEmpty)
            #expect(try await store.attachment(file.id, readableBy: ann.id) == nil)
            #expect(try await store.discardAttachment(file.id, of: ann.id) == nil)
            let later = now + AttachmentUse.leaseMilliseconds
            #expect(try await store.claimRemovals(at: later, limit: 9).map(\.id) == [file.id])
            try await store.removedAttachments([file.id])
            #expect(try await fixture.database.count(.attachments) == 0)
        },
    ]
}

extension StoreFixture {
    /// When files that nobody sends are due.
    static let due: Int64 = 1_800_000_000_000

    func draft(_ name: String, of owner: User, size: Int64) -> ParleyModel.Attachment {
        ParleyModel.Attachment(
            id: AttachmentID(trusted: "f-\(name)"), owner: owner.id, name: name, type: "image/png", size: size,
            created: milliseconds)
    }

    func file(_ name: String, of owner: User, size: Int64) async throws -> ParleyModel.Attachment {
        let file = draft(name, of: owner, size: size)
        let quota = AttachmentQuota(bytes: 0, files: 0)
        try #require(try await store.addAttachment(file, within: quota, due: Self.due)?.isAdded == true)
        return file
    }

    func completeFile(_ name: String, of owner: User) async throws -> ParleyModel.Attachment {
        let file = try await file(name, of: owner, size: 5)
        try #require(try await store.advanceUpload(of: file.id, from: 0, to: 5, upload: nil, due: Self.due))
        try #require(try await store.completeUpload(of: file.id, sha256: "s", dimensions: nil, due: Self.due))
        return file
    }

    /// A message with the file, before it is stored.
    func send(
        _ file: ParleyModel.Attachment, from sender: User, in thread: ThreadID, to recipient: User? = nil
    ) async throws -> LogEvent {
        let plain = message("", from: sender, in: thread, to: recipient)
        let message = try #require(plain.message)
        let found = try await store.useAttachments(
            [file.id], of: sender.id, in: AttachmentUse(thread: thread, message: message.id),
            recipient: recipient?.id, at: plain.milliseconds)
        let part = try #require(found[file.id]).filling(MediaPart(type: "", url: "", attachment: file.id))
        var event = plain
        event.body = .message(
            Message(id: message.id, sender: sender, text: "", recipient: recipient, parts: [.media(part)]))
        return event
    }

    /// Removes all attachments that are due.
    func removals(at milliseconds: Int64) async throws -> [AttachmentID] {
        let claimed = try await store.claimRemovals(at: milliseconds, limit: 100).map(\.id)
        try await store.removedAttachments(claimed)
        return claimed
    }
}
