// The pages of docs/, byte for byte: a coordinator serves the documentation of the very version that
// runs, and the program is one file.
#include "farm_docs.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char README_md[] = {
#embed "../../docs/README.md"
    , 0};
static const char again_md[] = {
#embed "../../docs/again.md"
    , 0};
static const char agents_md[] = {
#embed "../../docs/agents.md"
    , 0};
static const char changes_md[] = {
#embed "../../docs/changes.md"
    , 0};
static const char ci_md[] = {
#embed "../../docs/ci.md"
    , 0};
static const char command_md[] = {
#embed "../../docs/command.md"
    , 0};
static const char comparison_misses_md[] = {
#embed "../../docs/comparison-misses.md"
    , 0};
static const char comparison_md[] = {
#embed "../../docs/comparison.md"
    , 0};
static const char elements_md[] = {
#embed "../../docs/elements.md"
    , 0};
static const char faults_md[] = {
#embed "../../docs/faults.md"
    , 0};
static const char fleet_md[] = {
#embed "../../docs/fleet.md"
    , 0};
static const char frameworks_md[] = {
#embed "../../docs/frameworks.md"
    , 0};
static const char glossary_md[] = {
#embed "../../docs/glossary.md"
    , 0};
static const char ha_md[] = {
#embed "../../docs/ha.md"
    , 0};
static const char install_md[] = {
#embed "../../docs/install.md"
    , 0};
static const char ios_md[] = {
#embed "../../docs/ios.md"
    , 0};
static const char keys_md[] = {
#embed "../../docs/keys.md"
    , 0};
static const char llms_txt[] = {
#embed "../../docs/llms.txt"
    , 0};
static const char on_demand_md[] = {
#embed "../../docs/on-demand.md"
    , 0};
static const char operations_md[] = {
#embed "../../docs/operations.md"
    , 0};
static const char pictures_md[] = {
#embed "../../docs/pictures.md"
    , 0};
static const char pipeline_md[] = {
#embed "../../docs/pipeline.md"
    , 0};
static const char policies_md[] = {
#embed "../../docs/policies.md"
    , 0};
static const char publish_md[] = {
#embed "../../docs/publish.md"
    , 0};
static const char pull_requests_md[] = {
#embed "../../docs/pull-requests.md"
    , 0};
static const char references_md[] = {
#embed "../../docs/references.md"
    , 0};
static const char review_md[] = {
#embed "../../docs/review.md"
    , 0};
static const char s3_md[] = {
#embed "../../docs/s3.md"
    , 0};
static const char scale_md[] = {
#embed "../../docs/scale.md"
    , 0};
static const char schema_answers_schema_json[] = {
#embed "../../docs/schema/answers.schema.json"
    , 0};
static const char schema_compare_schema_json[] = {
#embed "../../docs/schema/compare.schema.json"
    , 0};
static const char schema_pipeline_schema_json[] = {
#embed "../../docs/schema/pipeline.schema.json"
    , 0};
static const char schema_scenes_schema_json[] = {
#embed "../../docs/schema/scenes.schema.json"
    , 0};
static const char schema_summary_schema_json[] = {
#embed "../../docs/schema/summary.schema.json"
    , 0};
static const char security_md[] = {
#embed "../../docs/security.md"
    , 0};
static const char shards_md[] = {
#embed "../../docs/shards.md"
    , 0};
static const char texts_md[] = {
#embed "../../docs/texts.md"
    , 0};
static const char tried_md[] = {
#embed "../../docs/tried.md"
    , 0};
static const char watch_md[] = {
#embed "../../docs/watch.md"
    , 0};
static const char web_md[] = {
#embed "../../docs/web.md"
    , 0};

static const struct farm_doc docs[] = {
    {"README.md", README_md},
    {"again.md", again_md},
    {"agents.md", agents_md},
    {"changes.md", changes_md},
    {"ci.md", ci_md},
    {"command.md", command_md},
    {"comparison-misses.md", comparison_misses_md},
    {"comparison.md", comparison_md},
    {"elements.md", elements_md},
    {"faults.md", faults_md},
    {"fleet.md", fleet_md},
    {"frameworks.md", frameworks_md},
    {"glossary.md", glossary_md},
    {"ha.md", ha_md},
    {"install.md", install_md},
    {"ios.md", ios_md},
    {"keys.md", keys_md},
    {"llms.txt", llms_txt},
    {"on-demand.md", on_demand_md},
    {"operations.md", operations_md},
    {"pictures.md", pictures_md},
    {"pipeline.md", pipeline_md},
    {"policies.md", policies_md},
    {"publish.md", publish_md},
    {"pull-requests.md", pull_requests_md},
    {"references.md", references_md},
    {"review.md", review_md},
    {"s3.md", s3_md},
    {"scale.md", scale_md},
    {"schema/answers.schema.json", schema_answers_schema_json},
    {"schema/compare.schema.json", schema_compare_schema_json},
    {"schema/pipeline.schema.json", schema_pipeline_schema_json},
    {"schema/scenes.schema.json", schema_scenes_schema_json},
    {"schema/summary.schema.json", schema_summary_schema_json},
    {"security.md", security_md},
    {"shards.md", shards_md},
    {"texts.md", texts_md},
    {"tried.md", tried_md},
    {"watch.md", watch_md},
    {"web.md", web_md},
};

const struct farm_doc *farm_doc_at(size_t index) {
    return index < sizeof docs / sizeof *docs ? &docs[index] : NULL;
}
