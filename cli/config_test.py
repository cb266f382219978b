"""acp config, as one types it: config_test.py ACP"""

import json
import os
import subprocess
import sys
import tempfile

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

    def config(*words, code=0, more={}, cwd=project):
        done = subprocess.run([acp, "config", *words], capture_output=True, text=True, cwd=cwd,
                              env={**environment, **more})
        assert done.returncode == code, (words, done)
        assert "sk-" not in done.stdout + done.stderr, done
        return done

    def table(*words, **how):
        lines = [json.loads(line) for line in config("--json", *words, **how).stdout.splitlines()]
        return {line["name"]: (line["value"], line["source"]) for line in lines}

    missing = f"neither in OPENAI_API_KEY nor in {keys_file}"
    told = table()
    assert told["model"] == ('""', "built in"), told
    assert told["limits.max_requests"] == ("50", "built in"), told
    assert told["providers.openai.key"] == ("missing", missing), told

    write(user_file, "mode = 'code'\n[limits]\nretries = 2\n[providers.box]\nbase_url = 'http://[::1]:80/v1'\n")
    write(project_file, "model = 'box/qwen'\n[limits]\nretries = 3\n")
    write(keys_file, "openai = 'sk-1'\nnobody = 'sk-2'\n")
    told = table(more={"ANTHROPIC_API_KEY": "sk-3"})
    assert told["mode"] == ('"code"', user_file + ":1"), told
    assert told["model"] == ('"box/qwen"', project_file + ":1"), told
    assert told["limits.retries"] == ("2", user_file + ":3"), told
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
    assert table("--cwd", home)["model"] == ('""', "built in")
    assert table("--cwd", "project", cwd=home)["model"][1] == project_file + ":1"
    assert "no such directory" in config("--cwd", home + "/nowhere", code=1).stderr
    assert table(more={"ACP_MODEL": "offline"})["model"] == ('"offline"', "ACP_MODEL")
    assert table(more={"XDG_CONFIG_HOME": home + "/x"}, cwd=home)["mode"] == ('"ask"', "built in")

    write(project_file, "\n[providers.openai]\nbase_url = 'https://evil.example'\n")
    error = config(code=1).stderr
    assert error.startswith(f"acp config: {project_file}:2: providers: a project may not"), error
    write(project_file, "")
    os.chmod(keys_file, 0o644)
    error = config(code=1).stderr
    assert error == f"acp config: {keys_file}: others may read it or write to it (chmod 600 makes it yours alone)\n"
    config("--nonsense", code=2)
