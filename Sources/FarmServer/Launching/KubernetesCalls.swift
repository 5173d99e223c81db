// A Kubernetes Job for each worker, by its name: the same one cannot be created twice. The token is
// in a Secret of the namespace, which the coordinator never reads.
import FarmCore
import Foundation

package struct KubernetesCalls: LauncherCalls {
    let launcher: String
    let place: KubernetesPlace

    package init(launcher: String, _ place: KubernetesPlace) {
        self.launcher = launcher
        self.place = place
    }

    static let launcherLabel = "snapfarm.org/launcher"

    package func start(_ order: WorkerOrder) -> LauncherCall {
        LauncherCall(
            ["kubectl", "create", "--namespace", place.namespace, "-f", "-"],
            input: manifest(order)
        )
    }

    package func list() -> LauncherCall {
        LauncherCall([
            "kubectl", "get", "jobs", "--namespace", place.namespace,
            "-l", "\(Self.launcherLabel)=\(launcher)", "-o", "json",
        ])
    }

    package func stop(_ name: LaunchedName) -> LauncherCall {
        LauncherCall([
            "kubectl", "delete", "job", name.text, "--namespace", place.namespace,
            "--ignore-not-found", "--wait=false", "--cascade=background",
        ])
    }

    private struct JobList: Decodable {
        struct Job: Decodable {
            struct Metadata: Decodable {
                var name: String
                var deletionTimestamp: String?
            }
            struct Status: Decodable {
                var ready: Int?
                var succeeded: Int?
                var failed: Int?
            }
            var metadata: Metadata
            var status: Status?
        }
        var items: [Job]
    }

    package func listed(_ output: String) throws -> [ListedWorker] {
        guard let list = try? JSONDecoder().decode(JobList.self, from: Data(output.utf8)) else {
            throw LauncherAnswerError.noList("JSON list of Jobs")
        }
        return list.items.compactMap { job in
            let status = job.status
            let hasEnded = (status?.succeeded ?? 0) + (status?.failed ?? 0) > 0
            guard !hasEnded, job.metadata.deletionTimestamp == nil else { return nil }
            return ListedWorker(job.metadata.name, isPending: (status?.ready ?? 0) == 0)
        }
    }

    // MARK: manifest

    private struct Manifest: Encodable {
        struct Metadata: Encodable {
            var name: String?
            var labels: [String: String]
        }
        struct Variable: Encodable {
            struct Source: Encodable {
                struct Key: Encodable {
                    var name: String
                    var key: String
                }
                var secretKeyRef: Key
            }
            var name: String
            var valueFrom: Source
        }
        struct Resources: Encodable {
            var requests: [String: String]
            var limits: [String: String]
        }
        struct Container: Encodable {
            var name = "worker"
            var image: String
            var args: [String]
            var env: [Variable]
            var resources: Resources?
        }
        struct PodSpec: Encodable {
            var restartPolicy = "Never"
            var automountServiceAccountToken = false
            var serviceAccountName: String?
            var nodeSelector: [String: String]?
            var containers: [Container]
        }
        struct Template: Encodable {
            var metadata: Metadata
            var spec: PodSpec
        }
        struct Spec: Encodable {
            // A worker that was cut off is replaced by one of another name.
            var backoffLimit = 0
            var ttlSecondsAfterFinished = 300
            var template: Template
        }
        var apiVersion = "batch/v1"
        var kind = "Job"
        var metadata: Metadata
        var spec: Spec
    }

    /// The Job of a worker, as JSON.
    package func manifest(_ order: WorkerOrder) -> String {
        let labels = ["app.kubernetes.io/name": "snapfarm-worker", Self.launcherLabel: launcher]
        let container = Manifest.Container(
            image: place.image,
            args: ["worker", "--coordinator", order.coordinator] + order.workerWords,
            env: [
                Manifest.Variable(
                    name: "SNAPFARM_TOKEN",
                    valueFrom: .init(secretKeyRef: .init(name: place.secret, key: "token"))
                )
            ],
            resources: place.resources.isEmpty
                ? nil : .init(requests: place.resources, limits: place.resources)
        )
        let pod = Manifest.PodSpec(
            serviceAccountName: place.serviceAccount,
            nodeSelector: place.nodeSelector.isEmpty ? nil : place.nodeSelector,
            containers: [container]
        )
        let job = Manifest(
            metadata: .init(name: order.name.text, labels: labels),
            spec: .init(template: .init(metadata: .init(labels: labels), spec: pod))
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Strings and numbers always encode.
        return ((try? encoder.encode(job)).map { String(decoding: $0, as: UTF8.self) } ?? "") + "\n"
    }
}
