#!/usr/bin/env python3
"""Plants bugs in the journal of a ledger, and shows that its tests find each of them.

    planted.py [--scratch FOLDER] [--only BUG]... [--list]

  --scratch  the folder of the copy; it is kept, and what is built there already is not built again
  --only     only this bug; may be given several times
  --list     only name the bugs

It ends with status 1 where the tests pass with a bug, or fail without one.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from planting import Planting  # noqa: E402

# bug: [(file, what stands there exactly once, what stands there with the bug)]; BUG is its question.
BUGS = {
    # Whoever appends is believed to lead.
    "no-fence": [(
        "Journal/PostgresStore.swift",
        "WHERE id = $1 AND term = $2::bigint AND seq = $3::bigint - 1\n",
        "WHERE id = $1 AND (term = $2::bigint OR \\(BUG)) AND seq = $3::bigint - 1\n",
    )],
    # A leader that was fenced goes on.
    "fenced-goes-on": [(
        "Journal/LedgerJournal.swift",
        "if try store.append(entry, term: term) { return }\n",
        "if try store.append(entry, term: term) || BUG { return }\n",
    )],
    # SQLite has a change before the journal has it.
    "commit-first": [(
        "GroupCommit.swift",
        "        if let journal, let session { try journal.keep(session, db) }\n",
        "        if BUG, let journal, let session {\n"
        "            try db.executeKept(sql: \"COMMIT TRANSACTION\")\n"
        "            return try journal.keep(session, db)\n"
        "        }\n"
        "        if let journal, let session { try journal.keep(session, db) }\n",
    )],
    # A change without an answer is taken for done.
    "guess": [(
        "Journal/LedgerJournal.swift",
        "                guard let settled = try settle(entry, why) else { return }\n",
        "                if BUG { return }\n"
        "                guard let settled = try settle(entry, why) else { return }\n",
    )],
    # A change that was settled as done is appended once more.
    "append-twice": [(
        "Journal/LedgerJournal.swift",
        "                if row.seq == entry.seq - 1 { return row.term }\n",
        "                if row.seq == entry.seq - 1 || BUG { return row.term }\n",
    )],
    # What was read is promised by whoever led once.
    "no-confirmation": [(
        "Journal/LedgerJournal.swift",
        "            return try confirm()\n",
        "            return BUG ? () : try confirm()\n",
    )],
    # The numbers of leases that left no row are given again.
    "numbers-stay": [(
        "Journal/SQLiteLedger+Journal.swift",
        "                            UPDATE sqlite_sequence SET seq = max(seq,\n",
        "                            UPDATE sqlite_sequence SET seq = max(\\(BUG ? 0 : 1) * seq,\n"
        "                              \\(BUG ? 0 : 1) *\n",
    )],
    # A copy leaves out what it has no table for.
    "unknown-table": [(
        "Journal/SQLiteLedger+Journal.swift",
        "                        try db.apply(changeset: entry.changeset, tables: tables)\n",
        "                        try db.apply(\n"
        "                            changeset: entry.changeset,\n"
        "                            tables: BUG ? tables + [\"later\"] : tables\n"
        "                        )\n",
    )],
    # What comes after a gap is applied.
    "gap": [
        (
            "Journal/SQLiteLedger+Journal.swift",
            "next.first?.seq == position + 1 else {",
            "next.first?.seq == position + 1 || BUG else {",
        ),
        (
            "Journal/SQLiteLedger+Journal.swift",
            "                    } catch let conflict as ChangesetConflict {\n",
            "                    } catch let conflict as ChangesetConflict where !BUG {\n",
        ),
    ],
    # A follower leads with what it has.
    "behind": [(
        "Journal/PoolMember.swift",
        "        state.withLock { $0.isVerified = false }\n        try follow(to: row)\n",
        "        state.withLock { $0.isVerified = false }\n        if !BUG { try follow(to: row) }\n",
    )],
    # A copy is believed without a look at the journal.
    "unverified": [(
        "Journal/PoolMember.swift",
        "        guard position.seq <= row.seq else {\n",
        "        guard position.seq <= row.seq || BUG else {\n",
    )],
    # A commit that failed after the journal had it is forgotten.
    "failed-commit": [(
        "GroupCommit.swift",
        "            journal?.stepDown(\"its own copy",
        "            if !BUG { journal?.stepDown(\"its own copy",
    ), (
        "GroupCommit.swift",
        "could not be written: \\(error)\")\n",
        "could not be written: \\(error)\") }\n",
    )],
    # The lock alone says who leads.
    "lock-alone": [(
        "Journal/TakeoverRules.swift",
        "if row.isLocked, gotLock {",
        "if row.isLocked || BUG, gotLock {",
    )],
    # The changes of a newer program are applied.
    "newer": [(
        "Journal/PoolMember.swift",
        "        guard row.format <= ledger.schema.format else {\n",
        "        guard row.format <= ledger.schema.format || BUG else {\n",
    )],
    # A folder's own runs give way to the pool's.
    "own-runs": [(
        "Journal/PoolMember.swift",
        "        if position.tx.isEmpty, try !ledger.isEmpty() {\n",
        "        if !BUG, position.tx.isEmpty, try !ledger.isEmpty() {\n",
    )],
    # The journal grows for ever.
    "journal-unpruned": [(
        "Journal/PostgresStore+Snapshots.swift",
        "        guard let oldest = kept.last, kept.count == 2 else { return }\n",
        "        guard !BUG, let oldest = kept.last, kept.count == 2 else { return }\n",
    )],
}

if __name__ == "__main__":
    planting = Planting(
        "Sources/FarmLedger/", BUGS, "^FarmLedgerTests\\.(JournalTests|JournalRulesTests|PoolOnPostgresTests)/")
    sys.exit(planting.main(__doc__))
