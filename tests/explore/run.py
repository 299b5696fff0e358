#!/usr/bin/env python3
"""`cosim explore` as browsers and others see it: run.py COSIM WORK. Exit code 77: no browser, the rest holds."""

import contextlib
import html
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
COSIM = Path(sys.argv[1]).resolve()
WORK = Path(sys.argv[2]).resolve()


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


def cosim(*arguments, expect=0, **options):
    done = subprocess.run([COSIM, *map(str, arguments)], capture_output=True, text=True, check=False, **options)
    check(done.returncode == expect, f"{arguments}: exit code {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


@contextlib.contextmanager
def server(*files, **environment):
    process = subprocess.Popen([COSIM, "explore", *map(str, files)], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        check(process.wait(20) == 0 and time.monotonic() - begin < 5, "an interrupt ends it")


def get(address, path, **headers):
    request = urllib.request.Request(address + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else None


def windows(trace, layer):
    """(lane, begin, end, bytes) of a layer's own slices in what --trace wrote."""
    events = json.loads(trace.read_text())["traceEvents"]
    return sorted((e["tid"] - 1, e["ts"], e["ts"] + e["dur"], e["args"]["bytes"]) for e in events
                  if e["ph"] == "X" and e["args"].get("layer") == layer)


def own(timeline, layer):
    return sorted(tuple(s[:4]) for s in timeline["slices"] if s[5] == layer)


def prepare():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    config = WORK / "npu.yaml"
    config.write_text("hardware: small\nnetwork: lenet5\nengine: model\nmemory: {bytes_per_cycle: 4, latency: 50}\n")
    cosim("sweep", "--config", config, "--network", "lenet5,first_light", "--set", "hardware=tiny,small", "--cbuf",
          "4KiB..32KiB", "--out", WORK / "sweep", "--quiet")
    cosim("--config", config, "--json", WORK / "run.json", "--trace", WORK / "trace.json", "--quiet")
    return config


def check_answers(address, config):
    code, sources = get(address, "api/sources")
    check(code == 200 and [s["kind"] for s in sources] == ["sweep", "run"], "both are there")
    results = json.loads((WORK / "sweep/results.json").read_text())["points"]
    for shown, told in zip(sources[0]["points"], results):
        check({k: shown[k] for k in told} == told, "points are those of results.json")
    database = sqlite3.connect(WORK / "sweep/points.sqlite")
    for point in (0, 5, len(results) - 1):
        rows = database.execute("SELECT name, op, mode, macs, cycles, external_bytes FROM layers WHERE point = ? ORDER BY layer", (point,))
        layers = get(address, f"api/layers?source=0&point={point}")[1]
        check([tuple(layer.values()) for layer in layers] == rows.fetchall(), "layers are those of the file")
    run = json.loads((WORK / "run.json").read_text())
    check([x["cycles"] for x in get(address, "api/layers?source=1&point=0")[1]] == [x["cycles"] for x in run["layers"]],
          "a run's layers are its own")
    timeline = get(address, "api/timeline?source=1&point=0&layer=conv2")[1]
    check(own(timeline, "conv2") == windows(WORK / "trace.json", "conv2"), "a run's timeline is its trace's")
    point = next(p for p in results if p["network"].endswith("lenet5") and p["hardware"] == "small" and
                 p["cbuf_bytes"] == 16384 and p["program_of"] == p["point"])
    cosim("--config", config, "--set", "hardware.preset=small", "--set", "hardware.cbuf.size=16KiB", "--set",
          "hardware.cbuf.capacity=auto", "--trace",
          WORK / "point.json", "--quiet")
    timeline = get(address, f"api/timeline?source=0&point={point['point']}&layer=conv1")[1]
    check(own(timeline, "conv1") == windows(WORK / "point.json", "conv1"), "a point's timeline is that of its configuration")
    for path, words in (("layers?source=0&point=99", "no point 99"), ("layers?source=9&point=0", "source is 9"),
                        ("layers?source=0&point=-1", "allowed is a number"), ("layers", "allowed is a number"),
                        ("timeline?source=0&point=0&layer=nix", "layer `nix`"), ("layers?source=1&point=1", "no point 1")):
        code, answer = get(address, "api/" + path)
        check(code == 400 and words in answer["error"], f"{path}: {code} {answer}")


def check_walls(address, process):
    for host in ("evil.example", "127.0.0.1", "127.0.0.1:1"):
        check(get(address, "api/sources", Host=host)[0] == 403, f"requests for {host} are refused")
    request = urllib.request.Request(address, data=b"x", method="POST")
    try:
        urllib.request.urlopen(request)
        check(False, "only GET")
    except urllib.error.HTTPError as error:
        check(error.code == 403, "only GET")
    check(get(address, "../../etc/passwd")[0] in (403, 404), "no files of the machine")
    port = int(address.rsplit(":", 1)[1].strip("/"))
    listening = [line.split()[1] for line in Path(f"/proc/{process.pid}/net/tcp").read_text().splitlines()[1:]
                 if line.split()[3] == "0A"]
    listening += [line.split()[1] for line in Path(f"/proc/{process.pid}/net/tcp6").read_text().splitlines()[1:]
                  if line.split()[3] == "0A"]
    check([a for a in listening if a.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"], "it listens on 127.0.0.1 alone")


def check_errors(config):
    (WORK / "text.txt").write_text("no\n")
    sqlite3.connect(WORK / "other.sqlite").execute("CREATE TABLE x (y)")
    for files, words in ((["text.txt"], "allowed are a sweep's points.sqlite"), (["trace.json"], "goes before it"), (["nix"], "nix"),
                         (["other.sqlite"], "no file of a sweep's points")):
        check(words in cosim("explore", *files, expect=2, cwd=WORK), f"{files}: {words}")
    other = json.loads((WORK / "trace.json").read_text())
    other["otherData"]["cycles"] += 1
    (WORK / "other.json").write_text(json.dumps(other))
    check("another run's" in cosim("explore", "run.json", "other.json", expect=2, cwd=WORK), "a timeline of another run")
    config.write_text(config.read_text().replace("latency: 50", "latency: 51"))
    with server(WORK / "sweep/points.sqlite") as (_, address):
        check("have changed" in get(address, "api/timeline?source=0&point=0&layer=conv1")[1]["error"],
              "no timeline of a configuration that has changed")


def browsed():
    """What the probe saw: with its own copy of the page, in a browser that reaches this machine only."""
    share = COSIM.parent / "share/tessera"
    data = WORK / "share"
    (data / "explore/page").mkdir(parents=True)
    for part in share.iterdir():
        if part.name != "explore":
            (data / part.name).symlink_to(part.resolve())
    for part in (share / "explore/page").iterdir():
        text = part.read_text()
        (data / "explore/page" / part.name).write_text(text + (HERE / "probe.js").read_text() if part.name == "explore.js" else text)
    with server(WORK / "sweep/points.sqlite", WORK / "run.json", WORK / "trace.json", TESSERA_DATA_DIR=str(data)) as (_, address):
        done = subprocess.run(
            ["timeout", "120", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={WORK}/profile", "--window-size=1300,2400", "--enable-logging=stderr",
             "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--virtual-time-budget=30000", "--dump-dom", address],
            capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(WORK)})
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    check(not complaints, f"no complaints: {complaints}")
    match = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    check(match, f"the probe came to its end: {done.stderr[-2000:]}")
    return json.loads(html.unescape(match[1]))


def check_page():
    seen = browsed()
    check(seen["rows"] == 17 and "hardware.cbuf.size" in seen["columns"], f"all points are in the table: {seen}")
    cycles = [int(text) for text in seen["descending"]]
    check(len(cycles) == 17 and cycles == sorted(cycles, reverse=True), f"the most first: {cycles}")
    cycles = [int(text) for text in seen["ascending"]]
    check(cycles == sorted(cycles), f"the least first: {cycles}")
    scatter = seen["scatter"]
    check(scatter["across"] == "hardware.cbuf.size, KiB" and scatter["up"] == "cycles", f"axes: {scatter}")
    drawn = {name: sorted({across for across, _ in points}) for name, points in scatter["series"]}
    check(drawn == {"hardware small": [4, 8, 16, 32], "hardware tiny": [4, 8, 16, 32]}, f"drawn by key and colour: {drawn}")
    check(seen["count"].startswith("4 of 17") and len(seen["filtered"]) == 4, f"filters: {seen['count']}")
    check([row[0] for row in seen["layers"]][:3] == ["conv1", "pool1", "conv2"], "layers of both")
    for row in seen["layers"]:
        number = lambda text: int(text.replace("\u202f", "").replace("+", ""))
        check(number(row[6]) - number(row[3]) == number(row[8]), f"differences: {row}")
    check(seen["canvases"] == 4 and min(seen["drawn"]) > 4, f"charts are drawn: {seen['drawn']}")
    check(seen["problem"] == "" and "layer=conv1" in seen["hash"], f"state is in the address: {seen['hash']}")


def main():
    if not (COSIM.parent / "share/tessera/web/echarts.min.js").exists():
        print("skipped: the charting library is not here (scripts/web-assets.sh)")
        return 77
    config = prepare()
    with server(WORK / "sweep/points.sqlite", WORK / "run.json", WORK / "trace.json") as (process, address):
        check(re.fullmatch(r"http://127\.0\.0\.1:\d+/", address), f"an address: {address}")
        check_answers(address, config)
        check_walls(address, process)
    if shutil.which("chromium") is None:
        check_errors(config)
        print("without a browser: chromium is not installed")
        return 77
    check_page()
    check_errors(config)
    print("explore: answers, walls, errors and the page hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
