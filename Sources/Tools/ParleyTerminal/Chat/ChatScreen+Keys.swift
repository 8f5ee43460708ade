/// Handling of keys, by focus.
extension ChatScreen {
    mutating func handle(_ key: Key) -> [ScreenEffect] {
        (notice, awaited) = (nil, nil)
        switch key {
        case .control("q"): return [.quit]
        case .control("l"): return [.redraw]
        case .control("z"): return [.suspend]
        case .function(1): return showHelp()
        default: break
        }
        switch focus {
        case .prompt: return promptKey(key)
        case .results: return resultsKey(key)
        case .page: return pageKey(key)
        case .composer, .messages, .inbox: break
        }
        if let effects = commonKey(key) { return effects }
        switch focus {
        case .messages: return messagesKey(key)
        case .inbox: return inboxKey(key)
        default: return composerKey(key)
        }
    }

    /// Handles the keys that have the same function in the composer, the messages and the list.
    private mutating func commonKey(_ key: Key) -> [ScreenEffect]? {
        switch key {
        case .next, .control("n"): return switchThread(by: 1)
        case .previous, .control("p"): return switchThread(by: -1)
        case .alt("a"):
            guard let unread = threads.first(where: { $0.unread > 0 && $0.id != open }) else {
                notice = "Nothing is unread."
                return []
            }
            return show(unread.id)
        case .control("f"): return ask(Prompt(.search))
        case .control("o"): return ask(Prompt(.room))
        case .control("t"): return ask(Prompt(.direct))
        case .pageUp: return scroll(by: -max(1, layout.messagesHeight - 2))
        case .pageDown: return scroll(by: max(1, layout.messagesHeight - 2))
        default: return nil
        }
    }

    private mutating func scroll(by count: Int) -> [ScreenEffect] {
        if focus == .messages { focus = .composer }
        timeline.deselect()
        return load(timeline.scroll(by: count, height: layout.messagesHeight))
    }

    /// Loads more messages when an end of the loaded ones is reached.
    private func load(_ reached: Timeline.Reached?) -> [ScreenEffect] {
        switch reached {
        case .top where timeline.hasOlder: [.loadOlder]
        case .bottom where timeline.hasNewer: [.loadNewer]
        default: []
        }
    }

    // MARK: Composer

    private mutating func composerKey(_ key: Key) -> [ScreenEffect] {
        switch key {
        case .enter: return submit()
        case .tab:
            focus = .inbox
            inboxSelection = open ?? threads.first?.id
            return []
        case .escape:
            if purpose != .new { return cancelPurpose() }
            guard !timeline.isAtEnd else {
                if columns < 60 { focus = .inbox }
                return []
            }
            return showNewest()
        case .control("c"):
            guard !editor.isEmpty || purpose != .new else { return [.quit] }
            if purpose != .new { return cancelPurpose() }
            editor.set("")
            return typing(false)
        case .up where editor.isEmpty: return select(step: 0)
        case .up, .alt("p"):
            editor.showPrevious()
            return []
        case .down, .alt("n"):
            editor.showNext()
            return []
        case .end where editor.isEmpty: return showNewest()
        default:
            let old = editor.text
            guard editor.handle(key), editor.text != old else { return [] }
            return purpose == .new || !editor.isEmpty ? typing(!editor.isEmpty) : []
        }
    }

    private func typing(_ isOn: Bool) -> [ScreenEffect] {
        guard let open, !editor.text.hasPrefix("/") else { return [] }
        return [.typing(thread: open, isOn: isOn)]
    }

    private mutating func showNewest() -> [ScreenEffect] {
        let needsPage = timeline.hasNewer
        timeline.scrollToEnd()
        return needsPage ? [.jumpToNewest] : []
    }

    private mutating func cancelPurpose() -> [ScreenEffect] {
        if case .edit = purpose { editor.set("") }
        purpose = .new
        return []
    }

    private mutating func submit() -> [ScreenEffect] {
        guard !editor.text.allSatisfy(\.isWhitespace) else { return [] }
        if purpose == .new, editor.text.hasPrefix("/") {
            let line = editor.submit()
            guard line.hasPrefix("//") else { return command(line) }
            return send(String(line.dropFirst()), nil)
        }
        guard let open else {
            notice = "Open a conversation first: Ctrl-O for a room, Ctrl-T for a user."
            return []
        }
        let text = editor.submit()
        defer { purpose = .new }
        switch purpose {
        case .new: return send(text, nil)
        case .reply(let message): return send(text, message.seq)
        case .edit(let message):
            return text == SafeText.lines(message.text) ? [] : [.edit(thread: open, id: message.id, text: text)]
        }
    }

    private mutating func send(_ text: String, _ replyTo: Int?) -> [ScreenEffect] {
        guard let open else { return [] }
        return [.send(thread: open, text: text, replyTo: replyTo)] + showNewest()
    }

    // MARK: Messages

    private mutating func select(step: Int) -> [ScreenEffect] {
        guard open != nil, !timeline.messages.isEmpty else { return [] }
        focus = .messages
        return load(timeline.moveSelection(by: step, height: layout.messagesHeight))
    }

    private mutating func messagesKey(_ key: Key) -> [ScreenEffect] {
        guard let message = timeline.selected, let open else {
            focus = .composer
            return []
        }
        switch key {
        case .up, .text("k"): return select(step: -1)
        case .down, .text("j"):
            guard message.id == timeline.messages.last?.id, !timeline.hasNewer else { return select(step: 1) }
            return deselect()
        case .escape, .control("c"), .tab: return deselect()
        case .end: return deselect() + showNewest()
        case .enter:
            guard let seq = message.replyTo else { return reply(to: message) }
            awaited = seq
            return [.jump(seq: seq)]
        case .text("r"): return reply(to: message)
        case .text("e"): return edit(message)
        case .text("d"), .delete:
            guard !message.isDeleted else { return [] }
            return ask(Prompt(.deletion, subject: message.id))
        case .text("+"), .text("a"):
            guard message.seq != nil, !message.isDeleted else { return notify("It is not sent yet.") }
            return ask(Prompt(.reaction, subject: message.id))
        case .text("R"): return [.retry(thread: open, id: message.id)]
        case .text("x"): return [.discard(thread: open, id: message.id)]
        case .text("?"): return showHelp()
        default: return []
        }
    }

    private mutating func deselect() -> [ScreenEffect] {
        timeline.deselect()
        focus = .composer
        return []
    }

    private mutating func notify(_ text: String) -> [ScreenEffect] {
        notice = text
        return []
    }

    private mutating func reply(to message: ShownMessage) -> [ScreenEffect] {
        guard message.seq != nil, !message.isDeleted else { return notify("It cannot be answered.") }
        purpose = .reply(message)
        return deselect()
    }

    private mutating func edit(_ message: ShownMessage) -> [ScreenEffect] {
        guard message.isOwn, !message.isDeleted else { return notify("Only your own messages can be edited.") }
        purpose = .edit(message)
        editor.set(SafeText.lines(message.text))
        return deselect()
    }

    // MARK: List of conversations

    private mutating func inboxKey(_ key: Key) -> [ScreenEffect] {
        let index = threads.firstIndex { $0.id == inboxSelection } ?? 0
        switch key {
        case .up, .text("k"): inboxSelection = threads.isEmpty ? nil : threads[max(0, index - 1)].id
        case .down, .text("j"):
            inboxSelection = threads.isEmpty ? nil : threads[min(threads.count - 1, index + 1)].id
        case .home: inboxSelection = threads.first?.id
        case .end: inboxSelection = threads.last?.id
        case .enter, .right:
            if let inboxSelection { return show(inboxSelection) }
        case .escape, .tab, .backTab, .control("c"): focus = .composer
        case .text("n"): return ask(Prompt(.room))
        case .text("u"): return ask(Prompt(.direct))
        case .text("l"):
            if let inboxSelection { return ask(Prompt(.leaving, subject: inboxSelection)) }
        case .text("?"): return showHelp()
        default: break
        }
        return []
    }

    // MARK: Pages and results

    private mutating func pageKey(_ key: Key) -> [ScreenEffect] {
        guard let page else { return close() }
        let height = layout.messagesHeight
        let last = max(0, page.lines.count - max(1, height - 1))
        let first: Int
        switch key {
        case .down, .text("j"): first = page.first + 1
        case .up, .text("k"): first = page.first - 1
        case .pageDown, .text(" "): first = page.first + height - 2
        case .pageUp: first = page.first - height + 2
        default: return close()
        }
        self.page?.first = max(0, min(last, first))
        return []
    }

    private mutating func close() -> [ScreenEffect] {
        (page, results) = (nil, nil)
        focus = .composer
        return []
    }

    private mutating func resultsKey(_ key: Key) -> [ScreenEffect] {
        guard let results, !results.messages.isEmpty else { return close() }
        switch key {
        case .up, .text("k"): self.results?.selected = max(0, results.selected - 1)
        case .down, .text("j"): self.results?.selected = min(results.messages.count - 1, results.selected + 1)
        case .enter:
            let message = results.messages[results.selected]
            let effects = close() + show(message.thread)
            guard let seq = message.seq else { return effects }
            awaited = seq
            return effects + [.jump(seq: seq)]
        case .escape, .tab, .control("c"), .text("q"): return close()
        default: break
        }
        return []
    }
}
