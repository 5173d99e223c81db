// Faults that occur by themselves, and their effects.
import FarmCore

extension Simulation {
    private func meanMilliseconds(_ fault: Fault) -> Int64 {
        switch fault {
        case .crash: scenario.faults.crashes
        case .hang: scenario.faults.hangs
        case .partition: scenario.faults.partitions
        case .termination: scenario.faults.terminations
        case .restart: scenario.faults.restarts
        }
    }

    mutating func planNext(_ fault: Fault) {
        let mean = meanMilliseconds(fault)
        guard mean > 0 else { return }
        let wait = random.milliseconds(1...(2 * mean))
        if now + wait < faultsStop { plan(.fault(fault), in: wait) }
    }

    mutating func strike(_ fault: Fault) {
        defer { planNext(fault) }
        if fault == .restart {
            guard host.coordinator != nil else { return }
            guard random.chance(scenario.faults.withinCalls) else { return crashCoordinator() }
            return host.die(atBorder: random.number(1...8))
        }
        guard let worker = current[random.number(0...(scenario.slots - 1))] else { return }
        let id = workers[worker].id
        let left = max(1, faultsStop - now)
        switch fault {
        case .crash: kill(worker)
        case .hang:
            let length = min(left, random.milliseconds(1_000...90_000))
            trace.say(now, "\(id) hangs for \(length) ms")
            workers[worker].hangsUntil = now + length
        case .partition:
            let length = min(left, random.milliseconds(1_000...90_000))
            trace.say(now, "\(id) is cut off for \(length) ms")
            workers[worker].cutUntil = now + length
        case .termination:
            trace.say(now, "\(id) is told to stop")
            leave(worker)
        case .restart: break
        }
    }

    /// Returns whether a worker can act now; for a hanging worker, the event is postponed.
    mutating func isAwake(_ worker: Int, _ event: Event) -> Bool {
        guard workers[worker].isAlive else { return false }
        guard workers[worker].hangsUntil > now else { return true }
        events.plan(event, at: workers[worker].hangsUntil)
        return false
    }

    // MARK: the end of a worker

    /// Ends a worker by SIGKILL, a crash, or the loss of its machine.
    mutating func kill(_ worker: Int) {
        trace.say(now, "\(workers[worker].id) dies")
        end(worker)
        guard scenario.tellsLosses else { return }
        plan(.reportDeath(worker: worker, tries: 3), in: random.milliseconds(5...500))
    }

    /// Ends a worker by SIGTERM, or because it gives up: its lease is released if that message
    /// arrives.
    mutating func leave(_ worker: Int) {
        if let held = workers[worker].held {
            sendOnce(.release(held.lease.token), from: worker)
        }
        end(worker)
    }

    private mutating func end(_ worker: Int) {
        let slot = workers[worker].slot
        workers[worker].isAlive = false
        workers[worker].pending = [:]
        workers[worker].held = nil
        guard current[slot] == worker else { return }
        current[slot] = nil
        let generation = workers.count { $0.slot == slot } + 1
        plan(.start(slot: slot, generation: generation), in: random.milliseconds(200...8_000))
    }

    mutating func start(_ slot: Int, _ generation: Int) {
        let worker = SimulatedWorker(
            slot: slot,
            generation: generation,
            isSick: slot == scenario.sickSlot && !isCalm,
            &random
        )
        trace.say(now, "\(worker.id) starts\(worker.isSick ? ", sick" : "")")
        workers.append(worker)
        current[slot] = workers.count - 1
        send(.hello(host: worker.host), from: workers.count - 1)
    }
}
