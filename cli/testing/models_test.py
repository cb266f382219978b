"""acp models, as one types it: models_test.py ACP"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

from own_network import alone
from terminal import output_in

acp = os.path.abspath(sys.argv[1])


class Server(http.server.BaseHTTPRequestHandler):
    """A model server that has two models."""

    def do_GET(self):
        body = json.dumps({"object": "list", "data": [{"id": "qwen3", "max_model_len": 32768}, {"id": "gemma"}]})
        known = self.path == "/v1/models"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode() if known else b"{}")

    def log_message(self, *_):
        pass


with tempfile.TemporaryDirectory() as home, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = os.path.realpath(home)
    os.makedirs(home + "/.config/acp")
    user_file = home + "/.config/acp/config.toml"
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment = {"PATH": os.environ["PATH"], "HOME": home, "ASAN_OPTIONS": options}
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"

    def models(*words, code=0, before=lambda *command: command, **more):
        done = subprocess.run(before(acp, "models", *words), capture_output=True, text=True, cwd=home, timeout=120,
                              env={**environment, **more})
        assert done.returncode == code, done
        assert "sk-" not in done.stdout + done.stderr, done
        return done

    def listed(*words, **more):
        return {line["model"]: line for line in map(json.loads, models("--json", *words, **more).stdout.splitlines())}

    def configure(text):
        with open(user_file, "w") as file:
            file.write(text)
        os.chmod(user_file, 0o600)

    # Nothing is set: what there is, and what is missing.
    bare = models(before=alone).stdout
    assert "offline" in bare and "built in" in bare, bare
    assert "openai     there is no key: set OPENAI_API_KEY, or run 'acp agent --login openai'" in bare, bare
    assert listed()["openai/gpt-5"]["usable"] is False
    assert "sk-" not in bare and "'acp config set model PROVIDER/NAME' chooses one" in bare, bare
    assert "No model can be used: no model is set, " in bare and "* is used" not in bare, bare
    assert "* offline stands in for 'acp chat' and editors; 'acp run' takes it only by its name" in bare, bare
    assert listed(before=alone)["offline"]["standsIn"] is True
    assert "Not running on this machine: llama-server (port 8080), ollama (port 11434), lmstudio (port 1234), " \
        "vllm (port 8000). Start one, " in bare, bare
    assert listed()["openai/gpt-5"]["takes"] == ["text", "images", "documents"]

    # What is set does not exist: what does is listed all the same.
    for wrong, why in (("bogus", 'there is no model "bogus", only offline, PROVIDER/NAME'),
                       ("nosuch/m", 'there is no provider "nosuch", only anthropic, ')):
        done = models(ACP_MODEL=wrong)
        assert "The model that is set does not exist: ACP_MODEL: " in done.stdout and why in done.stdout, done
        assert "  offline  " in done.stdout and "* " not in done.stdout and done.stderr == "", done
        configure(f"model = '{wrong}'\n")
        assert f"does not exist: {user_file}:1: " in models().stdout
        assert not any(one["chosen"] for one in listed().values())
        assert "does not exist" in models("--json").stderr
        assert listed("--model", "offline")["offline"]["chosen"]
        done = subprocess.run([acp, "run", "hello"], capture_output=True, text=True, cwd=home, timeout=120,
                              stdin=subprocess.DEVNULL, env=environment)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done
        assert done.stderr.startswith(f"acp run: {user_file}:1: ") and why in done.stderr, done
        done = subprocess.run([acp, "run", "--model", "offline", "list"], capture_output=True, text=True, cwd=home,
                              timeout=120, stdin=subprocess.DEVNULL, env=environment)
        assert done.returncode == 0, done
        os.remove(user_file)

    # A key.
    keyed = models(ANTHROPIC_API_KEY="sk-1").stdout
    line = next(line for line in keyed.splitlines() if line.startswith("*"))
    assert line.split()[:2] == ["*", "anthropic/claude-sonnet-4-5"] and line.endswith("key: ANTHROPIC_API_KEY"), line
    assert "* is used: no model is set, and anthropic has a key (ANTHROPIC_API_KEY).\n" in keyed, keyed

    # A server of one's own, asked what it serves; another that is not there; one with a list.
    configure(f"model = 'box/qwen3'\n[providers.box]\nbase_url = '{url}'\n"
              "[providers.gone]\nbase_url = 'http://127.0.0.1:9/v1'\n"
              "[providers.far]\nbase_url = 'https://example.invalid/v1'\napi = 'anthropic'\nmodels = ['m']\n")
    told = listed(FAR_API_KEY="sk-2")
    assert told["box/qwen3"]["usable"] and told["box/qwen3"]["contextTokens"] == 32768, told
    assert told["box/qwen3"]["chosen"] and told["box/qwen3"]["why"] == f"set by {user_file}:1", told
    assert told["box/gemma"]["baseUrl"] == url and not told["box/gemma"]["chosen"], told
    assert told["far/m"]["usable"] and told["far/m"]["key"] == "FAR_API_KEY", told
    text = models().stdout
    assert "gone " in text and f"* is used: set by {user_file}:1." in text, text
    assert listed("--model", "offline")["offline"]["why"] == "set by --model"

    # One that nobody lists, and one without a key.
    text = models("--model", "openai/gpt-77").stdout
    assert "openai/gpt-77 is used: set by --model.\nIt cannot be used yet: openai: there is no key" in text, text
    failed = models("--model", "nosuch/m", code=2).stderr
    assert 'there is no provider "nosuch", only ' in failed, failed
    assert failed.startswith("acp models: --model: ") and len(failed.splitlines()) == 1, failed

    # It fits the terminal.
    def at_a_terminal(columns, **more):
        shown, _ = output_in(columns, [acp, "models"], {**environment, **more})
        return shown.split("\n")

    table = at_a_terminal(60)[:6]
    assert max(map(len, table)) <= 60, table
    # No address is broken in its middle.
    configure(f"model = 'lab-server/qwen3'\n[providers.lab-server]\nbase_url = '{url}'\n")
    table = at_a_terminal(80, ANTHROPIC_API_KEY="sk-1")
    assert any(line.endswith(url) for line in table), table
    assert any(" anthropic/claude-sonnet-4-5 " in line for line in table), table
    assert max(map(len, table[:table.index("")])) <= 80, table
    server.shutdown()
