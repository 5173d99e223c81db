// `snapfarm refs`: the reference store on the command line. FarmReferences does the work of the
// subcommands; here are only texts, files of the work tree and exit codes.
import ArgumentParser

struct RefsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refs",
        abstract: "Looks after the reference store and the pin.",
        discussion: """
            Without --pipeline or --store, the pipeline file is found as by all commands, among \
            those with references. `refs init --pipeline FILE` remembers it in this clone.
            """,
        subcommands: [
            RefsInit.self, RefsCheck.self, RefsStatus.self, RefsCheckout.self, RefsCommit.self,
            RefsImport.self, RefsExport.self, RefsLog.self, RefsShow.self, RefsDiff.self,
            RefsCatalogue.self, RefsAlternates.self,
            RefsVerify.self, RefsSize.self, RefsPrune.self, RefsRotate.self, RefsMerge.self,
            RefsMergeDriver.self, RefsPublish.self, RefsMove.self, RefsRetire.self,
            RefsPush.self, RefsFetch.self, RefsPin.self, RefsHook.self,
        ]
    )
}
