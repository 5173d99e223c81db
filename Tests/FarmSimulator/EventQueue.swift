// The queue of future events in the order of simulated time; events of one moment keep their
// planned order.

/// A binary heap of events by time.
struct EventQueue<Event> {
    private struct Entry {
        var time: Int64
        var number: Int
        var event: Event

        func precedes(_ other: Entry) -> Bool {
            (time, number) < (other.time, other.number)
        }
    }
    private var heap: [Entry] = []
    private var planned = 0

    var isEmpty: Bool { heap.isEmpty }
    var nextTime: Int64? { heap.first?.time }

    mutating func plan(_ event: Event, at time: Int64) {
        planned += 1
        heap.append(Entry(time: time, number: planned, event: event))
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (time: Int64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.event)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
