"""A real S3 server for measurements: SeaweedFS, which `deploy/system-packages.sh test` puts below .build."""
import json
import os
import subprocess
import sys
import time

from ports import reserved_port

WEED = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.build/test-tools/bin/weed"))
KEYS = ("sfkey", "sfsecret")


class Bucket:
    """A bucket of a server on this machine; `configuration` and `environment` let a coordinator use it."""

    environment = {"S3_ACCESS": KEYS[0], "S3_SECRET": KEYS[1]}

    def __init__(self, folder):
        self.folder = folder
        self.ports = [reserved_port() for _ in range(8)]
        self.url = f"http://127.0.0.1:{self.ports[0]}"
        self.configuration = (
            f"blobs: {{s3: {{endpoint: \"{self.url}\", bucket: farm-blobs, prefix: farm,\n"
            "  path-style: true, access-key: S3_ACCESS, secret-key: S3_SECRET}}\n")
        os.makedirs(f"{folder}/data")
        with open(f"{folder}/s3.json", "w") as file:
            json.dump({"identities": [{
                "name": "farm", "actions": ["Admin", "Read", "Write", "List"],
                "credentials": [{"accessKey": KEYS[0], "secretKey": KEYS[1]}]}]}, file)
        self.start()
        self.curl("-X", "PUT", f"{self.url}/farm-blobs")

    def start(self):
        s3, s3g, filer, filerg, master, masterg, volume, volumeg = self.ports
        self.server = subprocess.Popen(
            [WEED, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self.folder}/data",
             "-master.volumeSizeLimitMB=64", "-volume.max=60", "-s3.port.iceberg=0",
             "-s3.port.lance=0", "-s3", f"-s3.port={s3}",
             f"-s3.port.grpc={s3g}", f"-s3.config={self.folder}/s3.json", "-filer",
             f"-filer.port={filer}", f"-filer.port.grpc={filerg}", f"-master.port={master}",
             f"-master.port.grpc={masterg}", f"-volume.port={volume}",
             f"-volume.port.grpc={volumeg}"],
            stdout=subprocess.DEVNULL, stderr=open(f"{self.folder}/log", "a"), cwd=self.folder)
        for _ in range(300):
            code = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", self.url],
                                  capture_output=True, text=True).stdout
            if code == "403":
                return
            time.sleep(0.1)
        sys.exit("the server of the bucket does not start: "
                 + open(f"{self.folder}/log").read()[-3000:])

    def curl(self, *words):
        return subprocess.run(
            ["curl", "-sS", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", ":".join(KEYS), *words],
            capture_output=True, text=True).stdout

    def objects(self):
        count, after = 0, ""
        while True:
            query = f"list-type=2&max-keys=1000&start-after={after}".replace("/", "%2F")
            keys = [k.split("</Key>")[0] for k in
                    self.curl(f"{self.url}/farm-blobs?{query}").split("<Key>")[1:]]
            count += len(keys)
            if len(keys) < 1000:
                return count
            after = keys[-1]

    def kill(self):
        self.server.kill()
        self.server.wait()
