"""acp config, as one types it: config_test.py ACP"""

import json
import os
import subprocess
import sys
import tempfile

from own_network import alone

acp = sys.argv[1]

with tempfile.TemporaryDirectory() as home:
    home = os.path.realpath(home)
    # Each of many processes would take seconds to look for leaks.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment = {"PATH": os.environ["PATH"], "HOME": home, "ASAN_OPTIONS": options}
    project = home + "/project"
    os.makedirs(project + "/.acp")
    os.makedirs(home + "/.config/acp")
    user_file = home + "/.config/acp/config.toml"
    project_file = project + "/.acp/config.toml"
    keys_file = home + "/.config/acp/keys.toml"

    def write(path, text, mode=0o600):
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, mode)

    def config(*words, code=0, more={}, cwd=project, before=lambda *command: command):
        done = subprocess.run(before(acp, "config", *words), capture_output=True, text=True, cwd=cwd,
                              env={**environment, **more})
        assert done.returncode == code, (words, done)
        assert "sk-" not in done.stdout + done.stderr, done
        return done

    def table(*words, **how):
        lines = [json.loads(line) for line in config("--json", *words, **how).stdout.splitlines()]
        return {line["name"]: (line["value"], line["source"]) for line in lines}

    missing = f"neither in OPENAI_API_KEY nor in {keys_file}"
    told = table()
    assert told["model"] == ("", "built in"), told
    assert told["limits.max_requests"] == (50, "built in"), told
    assert told["providers.openai.needs_key"] == (True, "built in"), told
    assert told["providers.openai.models"] == (["gpt-5", "gpt-5-mini", "gpt-4.1"], "built in"), told
    assert table("show") == told
    assert config("show").stdout == config().stdout
    assert told["providers.openai.key"] == ("missing", missing), told

    write(user_file, "mode = 'code'\n[limits]\nretries = 2\n[providers.box]\nbase_url = 'http://[::1]:80/v1'\n")
    write(project_file, "model = 'box/qwen'\n[limits]\nretries = 3\n")
    write(keys_file, "openai = 'sk-1'\nnobody = 'sk-2'\n")
    told = table(more={"ANTHROPIC_API_KEY": "sk-3"})
    assert told["mode"] == ("code", user_file + ":1"), told
    assert told["model"] == ("box/qwen", project_file + ":1"), told
    assert told["limits.retries"] == (2, user_file + ":3"), told
    assert told["providers.openai.key"] == ("set", keys_file), told
    assert told["providers.anthropic.key"] == ("set", "ANTHROPIC_API_KEY"), told
    assert told["providers.box.key"] == ("not needed", f"neither in BOX_API_KEY nor in {keys_file}"), told
    done = config()
    assert f'mode = "code"' in done.stdout and f"  # {user_file}:1\n" in done.stdout, done
    assert f"{project_file}:3: limits.retries = 3 is not followed" in done.stderr, done
    assert f"{keys_file} has a key for nobody, which is no provider" in done.stderr, done
    # What is shown can be written into a file.
    assert any(line.startswith('providers.box.base_url = "http://[::1]:80/v1" ')
               for line in done.stdout.splitlines()), done

    # Another project, by name.
    assert table("--cwd", home)["model"] == ("", "built in")
    assert table("--cwd", "project", cwd=home)["model"][1] == project_file + ":1"
    assert f"there is no directory {home}/nowhere" in config("--cwd", home + "/nowhere", code=2).stderr
    os.symlink("loop", home + "/loop")  # one that nobody can read, not even root
    error = config("--cwd", home + "/loop", code=2).stderr
    assert error.startswith(f"acp config: the directory {home}/loop cannot be read: "), error
    assert table(more={"ACP_MODEL": "offline"})["model"] == ("offline", "ACP_MODEL")
    assert table(more={"XDG_CONFIG_HOME": home + "/x"}, cwd=home)["mode"] == ("ask", "built in")

    write(project_file, "\n[providers.openai]\nbase_url = 'https://evil.example'\n")
    error = config(code=2).stderr
    assert error.startswith(f"acp config: {project_file}:2: providers: a project may not"), error
    write(project_file, "")
    os.chmod(keys_file, 0o644)
    error = config(code=2).stderr
    assert error == f"acp config: {keys_file}: others may read it or write to it (chmod 600 makes it yours alone)\n"
    config("--nonsense", code=2)

    # ---- which model, and why
    os.chmod(keys_file, 0o600)
    write(user_file, "")
    write(keys_file, "")
    head = config(before=alone).stdout
    assert head.startswith("# Model: none, no model is set, no provider has a key"), head
    assert "\n#   offline stands in for 'acp chat' and editors; 'acp run' takes it only by its name" in head, head
    assert f"#   {user_file}  (your settings)\n" in head, head
    assert f"#   {project_file}  (this project's settings)\n" in head, head
    assert f"#   {home}/.config/acp/policy.toml  (rules: 'acp policy'; not there)\n" in head, head
    keyed = {"ANTHROPIC_API_KEY": "sk-3"}
    assert config(more=keyed).stdout.startswith(
        "# Model: anthropic/claude-sonnet-4-5, no model is set, and anthropic has a key (ANTHROPIC_API_KEY)\n")
    write(user_file, "model = 'openai/gpt-5'\n")
    head = config(more=keyed).stdout
    assert head.startswith(f"# Model: openai/gpt-5, set by {user_file}:1\n"), head
    assert "cannot be used yet: openai: there is no key: set OPENAI_API_KEY, or run 'acp agent --login openai'" in head
    told = table(more={**keyed, "ACP_MODEL": "offline"})
    assert told["used.model"] == ("offline", "set by ACP_MODEL"), told
    assert told["files.user"] == (user_file, "there"), told
    assert told["files.policy"] == (home + "/.config/acp/policy.toml", "not there"), told

    write(user_file, "model = 'nope'\n")
    head = config().stdout
    assert head.startswith(f"# Model: nope, set by {user_file}:1\n"), head
    assert f'#   There is no such model: {user_file}:1: there is no model "nope", only offline' in head, head
    assert "used.model" in table(more={"ACP_MODEL": "nosuch/x"})
    write(user_file, "model = 'openai/gpt-5'\n")

    # ---- get
    assert config("get", "model").stdout == "openai/gpt-5\n"
    assert json.loads(config("get", "model", "--json").stdout)["source"] == user_file + ":1"
    assert config("get", "providers.openai.models").stdout == "gpt-5\ngpt-5-mini\ngpt-4.1\n"
    assert config("get", "limits.retries").stdout == "4\n"
    assert config("get", "agents.nobody.command", code=1).stderr == "acp config get: agents.nobody.command is not set\n"
    unknown = config("get", "nothing", code=2)
    assert unknown.stderr.splitlines()[0] == \
        "acp config get: there is no setting nothing. 'acp config' shows all that there are", unknown
    assert unknown.stdout == ""
    assert "there is no setting modle; did you mean model?" in config("get", "modle", code=2).stderr
    # A part, and what is shown of keys.
    assert config("get", "providers.ollama").stdout == 'providers.ollama.base_url = "http://127.0.0.1:11434/v1"\n'
    assert config("get", "providers.anthropic.key").stdout == "missing\n"
    assert 'providers.anthropic.key = missing\n' in config("get", "providers.anthropic").stdout
    assert json.loads(config("get", "limits.retries", "--json").stdout)["value"] == 4

    # ---- set: comments and order stay
    before = "# mine\nmodel = 'openai/gpt-5'   # the good one\n\n[limits]  # few\nretries = 3 # three\n\n[chat]\nnotify = 'none'\n"
    write(user_file, before, 0o644)
    done = config("set", "model", "anthropic/claude-x")
    assert (done.stdout, done.stderr) == ("", f"Set in {user_file}.\n"), done
    config("set", "limits.retries", "2")
    config("set", "limits.max_requests", "9")
    config("set", "mode", "architect")
    config("set", "mcp.files.command", "mcp-files")
    config("set", "mcp.files.args", "--", "--root", "/a b", 'q"')
    with open(user_file) as file:
        text = file.read()
    assert text == ("# mine\nmodel = \"anthropic/claude-x\"   # the good one\nmode = \"architect\"\n\n[limits]  # few\n"
                    "retries = 2 # three\nmax_requests = 9\n\n[chat]\nnotify = 'none'\n\n[mcp.files]\n"
                    "command = \"mcp-files\"\nargs = [\"--root\", \"/a b\", \"q\\\"\"]\n"), text
    assert os.stat(user_file).st_mode & 0o7777 == 0o600
    assert config("get", "mcp.files.args").stdout == '--root\n/a b\nq"\n'
    # A list in JSON is the same.
    config("set", "mcp.files.args", '["--root", "/a b", "q\\"", "c,d", "[e]"]')
    assert config("get", "mcp.files.args").stdout == '--root\n/a b\nq"\nc,d\n[e]\n'
    for wrong in ("[--root,/a]", '["a", 7]', '["a"', "[", '["a"] b'):
        error = config("set", "mcp.files.args", wrong, code=2).stderr
        assert f"mcp.files.args: expected a list of strings in JSON, such as [\"a\", \"b\"], got {wrong}" in error, error
    assert "a key does not belong in this file" in config("set", "mcp.files.args", '["sk-' + '"]', code=2).stderr
    config("set", "mcp.files.args", "--", "--root", "/a b", 'q"')
    with open(user_file) as file:
        assert file.read() == text
    assert sorted(os.listdir(home + "/.config/acp")) == ["config.toml", "config.toml.lock", "keys.toml"]
    done = config("set", "model", "offline", more={"ACP_MODEL": "openai/gpt-5"})
    assert 'But ACP_MODEL counts before it: model is "openai/gpt-5".' in done.stderr, done
    # What is wrong changes nothing.
    with open(user_file) as file:
        text = file.read()
    for words, said in ((["limits.retries", "99"], "limits.retries: expected 0 to 20, got 99"),
                        (["limits.retries", "--", "-1"], 'a whole number that is not negative, got "-1"'),
                        (["nothing", "1"], "there is no setting nothing. These can be set:"),
                        (["model", "gpt-5"], "expected PROVIDER/NAME or offline"),
                        (["openai_api_key", "sk-1"], "acp agent --login PROVIDER"),
                        (["mcp.files.env.X", "sk-1"], "acp agent --login PROVIDER"),
                        (["model"], "VALUE")):
        done = config("set", *words, code=2)
        assert said in done.stderr, done
    with open(user_file) as file:
        assert file.read() == text

    # ---- unset: the line goes, the rest stays
    done = config("unset", "limits.retries")
    assert (done.stdout, done.stderr) == ("", f"Taken out of {user_file}.\n"), done
    config("unset", "mcp.files")
    with open(user_file) as file:
        assert file.read() == text.replace("retries = 2 # three\n", "").split("\n[mcp.files]")[0], file
    assert config("get", "limits.retries").stdout == "4\n"
    assert config("unset", "limits.retries", code=1).stderr == (
        f"acp config unset: limits.retries is not set in {user_file}\n")
    assert "did you mean model?" in config("unset", "modle", code=2).stderr
    assert config("unset", "agents.nobody", code=1).stderr.endswith(f"is not set in {user_file}\n")

    # ---- what is wrong in the file can be repaired, one by one
    write(user_file, "modle = 1 # mine\nmode = 5\n\n[limits]\nretries = 'x'\n")
    config(code=2)
    done = config("set", "limits.retries", "3")
    assert "But something else is wrong: " in done.stderr and "config.toml:1: there is no setting modle" in done.stderr, done
    assert "expected 0 to 20" in config("set", "limits.retries", "99", code=2).stderr
    config("unset", "modle")
    done = config("set", "mode", "code")
    assert done.stderr == f"Set in {user_file}.\n", done
    with open(user_file) as file:
        assert file.read() == 'mode = "code"\n\n[limits]\nretries = 3\n'
    write(user_file, "model = 'nosuch/x'\n")
    config("set", "model", "offline")
    write(user_file, "[providers.box]\nbase_url = 'http://127.0.0.1:1/v1'\n")
    assert "'acp config unset providers.box' takes all of it back" in config(
        "unset", "providers.box.base_url", code=2).stderr
    # What is no TOML at all is for a person.
    write(user_file, "model = ollama/tiny\n")
    for command in (["config"], ["config", "set", "mode", "ask"], ["config", "get", "mode"], ["agents"], ["models"],
                    ["run", "hello"], ["mcp", "servers"]):
        done = subprocess.run([acp, *command], capture_output=True, text=True, cwd=project, env=environment)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done
        assert f"{user_file}:1: " in done.stderr, done
        assert 'text needs quotes, as in model = "offline"' in done.stderr, done

    # ---- init
    assert f"{user_file} is there already" in config("init", code=2).stderr
    fresh = {"XDG_CONFIG_HOME": home + "/fresh"}
    made = config("init", more=fresh).stdout.strip()
    assert made == home + "/fresh/acp/config.toml" and os.stat(made).st_mode & 0o7777 == 0o600
    config("set", "limits.retries", "1", more=fresh)
    with open(made) as file:
        assert "# retries = 4\nretries = 1\n" in file.read()

    # ---- one order of fallbacks, in help and docs
    def shown(*words):
        done = subprocess.run([acp, *words, "--help"], capture_output=True, text=True, env=environment)
        return " ".join(done.stdout.split())

    order = shown("models").split("The model is the first of: ")[1].split(" Servers of your own")[0].rstrip(".")
    assert order.startswith("--model, ACP_MODEL, ") and order.endswith("by its name (--model offline)"), order
    assert order in shown("config") and order in shown("agent")
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
    for page in ("models.md", "configuration.md", "agent.md", "run.md"):
        with open(os.path.join(docs, page)) as file:
            text = " ".join(file.read().replace("`", "").split())
        assert order in text, (page, order)
