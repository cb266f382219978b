#!/usr/bin/env python3
"""compile_test.py CXX INCLUDE [FLAG…]: what must not compile does not, and the first error is a sentence that says
what to do; what must compile does."""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

compiler, include, *flags = sys.argv[1:]
MOST_LINES = 40  # of an error message

TEMPORARY = "g++ 12 destroys this temporary twice in a co_await expression: give it a name first (outside of coroutines, too)"
LAMBDA = "g++ 12 destroys this lambda twice in a co_await expression: give it a name first"

# In a coroutine: what compiles everywhere but with g++ 12, and the sentence there.
TEMPORARIES = [
    ('co_await turn.run_command("ls", {.cwd = "/"});', TEMPORARY),
    ('co_await turn.run_command("wc", {.args = {"-l", file}});', TEMPORARY),
    ('co_await turn.create_terminal("wc", {.cwd = file});', TEMPORARY),
    ('co_await turn.peer().request(acp::v1::ReadTextFileRequest{.sessionId = file, .path = file});', TEMPORARY),
    ('co_await turn.peer().notify(acp::v1::CancelNotification{.sessionId = file});', TEMPORARY),
    ('co_await turn.update(acp::v1::CurrentModeUpdate{.currentModeId = file});', TEMPORARY),
    ('co_await turn.say(acp::v1::TextContent{.text = file});', TEMPORARY),
    ('co_await turn.tool_call(acp::v1::ToolCall{.title = file}).start();', TEMPORARY),
    ('co_await agent.new_session(acp::v1::NewSessionRequest{.cwd = file});', TEMPORARY),
    ('co_await agent.new_session({.cwd = "/tmp"});', TEMPORARY),
    ('co_await agent.load_session({.cwd = file, .sessionId = file});', TEMPORARY),
    ('co_await agent.list_sessions({.cwd = file});', TEMPORARY),
    ('co_await turn.on_thread([file] { return file.size(); });', LAMBDA),
    ('co_await turn.before_update([file](acp::SessionUpdate&) {}).say(file);', LAMBDA),
    ('acp::SessionContext of = turn; co_await of.before_update([file](acp::SessionUpdate&) {}).say(file);', LAMBDA),
    ('acp::Client client("a", "1"); co_await client.connect(acp::remote::url(file, {.bearer_token = file}));', TEMPORARY),
    ('co_await acp::Client("a", "1").spawn(acp::io::ProcessOptions{.argv = {"gemini", "--acp"}});', TEMPORARY),
    ('co_await acp::Client("a", "1").spawn({.argv = {"gemini"}, .cwd = file});', TEMPORARY),
    ('co_await session.prompt(acp::v1::PromptRequest{._meta = acp::Json()}).finish();', TEMPORARY),
    ('co_await session.prompt({acp::v1::TextContent{.text = file}}).finish();', TEMPORARY),
    ('co_await session.prompt({"a", acp::v1::TextContent{.text = file}}).finish();', TEMPORARY),
    ('co_await session.set_mode(acp::v1::SetSessionModeRequest{.modeId = file});', TEMPORARY),
    ('co_await session.set_mode({.modeId = file});', TEMPORARY),
    ('co_await session.set_config_option(acp::v1::SetSessionConfigOptionRequest{.configId = file});', TEMPORARY),
    ('co_await agent.resume_session({.sessionId = file, .cwd = file});', TEMPORARY),
    ('co_await agent.fork_session({.sessionId = file, .cwd = file});', TEMPORARY),
    ('co_await agent.set_provider({.providerId = file});', TEMPORARY),
    ('co_await turn.user_said(acp::v1::TextContent{.text = file});', TEMPORARY),
    ('co_await turn.user_said(acp::v1::TextContent{.text = file}, file);', TEMPORARY),
    ('co_await turn.ask_user(file, acp::v1::ElicitationSchema{.title = file});', TEMPORARY),
    ('co_await call.add_content(acp::v1::Diff{.path = file});', TEMPORARY),
    ('co_await call.update(acp::v1::ToolCallUpdate{.title = file});', TEMPORARY),
    ('co_await call.update({.title = file});', TEMPORARY),
    ('co_await call.background([file](acp::ToolCall) {});', LAMBDA),
    ('co_await acp::mcp::Client("a", "1").connect(acp::v1::McpServerHttp{.name = file});', TEMPORARY),
    ('co_await server.call_tool(file, acp::Json(), {.time = std::chrono::seconds(1)});', TEMPORARY),
    ('co_await server.request(file, acp::Json(), {.time = std::chrono::seconds(1)});', TEMPORARY),
]
# With every compiler; None: it compiles.
EVERYWHERE = [
    ('acp::CommandOptions options{.cwd = "/"}; co_await turn.run_command("ls", options);', None),
    ('acp::v1::NewSessionRequest request{.cwd = "/"}; co_await agent.new_session(request);', None),
    ('co_await agent.new_session("/"); co_await agent.new_session(file);', None),
    ('const auto size = [file] { return file.size(); }; co_await turn.on_thread(size);', None),
    ('co_await turn.sleep(std::chrono::milliseconds(1));', None),
    ('const auto hook = [file](acp::SessionUpdate&) {}; co_await turn.before_update(hook).say(file);', None),
    ('acp::Client client("a", "1"); co_await client.connect(acp::remote::url(file));', None),
    ('co_await acp::Client("a", "1").spawn({"gemini", "--acp"});', None),
    ('co_await acp::Client("a", "1").spawn({file, "--model=" + file});', None),
    ('std::vector<std::string> words{file}; co_await acp::Client("a", "1").spawn(words);', None),
    ('acp::Client("a", "1").spawn("gemini --acp").wait();', "deleted"),
    ('acp::ContentBlock block(file); co_await session.prompt({block, block}).finish();', None),
    ('acp::v1::ImageContent image{.data = file}; co_await session.prompt({"Look:", image}).finish();', None),
    ('co_await session.prompt(file).finish(); co_await session.prompt("a").finish();', None),
    ('const auto work = [file](acp::ToolCall) {}; co_await call.background(work);', None),
    ('turn.say("a");', "co_await it, or wait() for it"),
    ('agent.new_session("/");', "co_await it, or wait() for it"),
    ('acp::Agent("a", "1").on_prompt([](int) { return acp::StopReason::end_turn; });',
     "on_prompt() wants a function that takes one acp::Turn"),
    ('acp::Agent("a", "1").on_prompt([](acp::Turn) { return 5; });',
     "on_prompt() wants a function that returns acp::StopReason or acp::v1::PromptResponse, or an acp::Task of one of "
     "them"),
    ('acp::Agent("a", "1").on_prompt([](acp::Turn) -> acp::Task<int> { co_return 5; });',
     "on_prompt() wants a function that returns acp::StopReason"),
    ('acp::Agent("a", "1").on_new_session([](acp::SessionContext) {});',
     "this handler takes other arguments than it will be given"),
    ('acp::Client("a", "1").on_permission([](acp::ClientContext, acp::v1::RequestPermissionRequest) { return 5; });',
     "this handler returns another type than it should"),
    ('acp::Agent("a", "1").on_logout(acp::blocking([](acp::Context, acp::v1::LogoutRequest) {}));', None),
    ('acp::Agent("a", "1").on_logout(acp::blocking('
     '[](acp::Context, acp::v1::LogoutRequest) -> acp::Task<void> { co_return; }));',
     "blocking() is for plain functions: a coroutine that blocks stops all others"),
    ('acp::Agent("a", "1").on_prompt([own = std::make_unique<int>(1)](acp::Turn) { return acp::StopReason::end_turn; });',
     None),
]


def defined(name):
    macros = subprocess.run([compiler, "-dM", "-E", "-x", "c++", "/dev/null"], check=True, capture_output=True, text=True)
    return next((line.split()[2] for line in macros.stdout.splitlines() if line.split()[1] == name), None)


HEADERS = """#include <acp/agent.h>
#include <acp/client.h>
#include <acp/mcp/client.h>
#include <acp/remote/client.h>
#include <chrono>
#include <memory>
"""
OPTIONS = ["-std=c++20", "-Wall", "-Werror=unused-result", "-Wno-missing-field-initializers", *flags, f"-I{include}"]


def compile_headers(folder):
    """Once for all cases. Returns the options that use them."""
    header, compiled = f"{folder}/headers.h", f"{folder}/headers.h.gch"
    with open(header, "w", encoding="utf-8") as file:
        file.write(HEADERS)
    subprocess.run([compiler, *OPTIONS, "-x", "c++-header", header, "-o", compiled], check=True)
    return ["-include", header] if defined("__clang__") is None else ["-include-pch", compiled]


def errors_of(statement):
    source = f"""acp::Task<void> run(acp::Turn turn, acp::AgentHandle agent, acp::Session session, acp::ToolCall call,
                    acp::mcp::Server server, std::string file) {{
  {statement}
  co_return;
}}
"""
    done = subprocess.run([compiler, *OPTIONS, *headers, "-fsyntax-only", "-x", "c++", "-"],
                          input=source, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else None


def guarded():
    """The names of all functions that refuse a temporary."""
    for header in sorted(Path(include, "acp").glob("**/*.h")):
        text = header.read_text(encoding="utf-8")
        for found in re.finditer(r"^ *ACP_REFUSE_TEMPORARY\(", text, re.MULTILINE):
            name = re.search(r"\b(\w+)\((?=[^()]*&&)", text[found.end():])
            yield "prompt" if name[1] == "PromptContent" else name[1]  # its argument
        for found in re.finditer(r"^ *ACP_REFUSE_TEMPORARY_LAMBDA\(", text, re.MULTILINE):
            yield re.findall(r"\b(\w+)\(\w+&& \w+\)", text[:found.start()])[-1]


def fault_of(case):
    statement, sentence = case
    errors = errors_of(statement)
    if sentence is None:
        return None if errors is None else f"does not compile: {statement}\n{errors}"
    if errors is None:
        return f"compiles, and must not: {statement}"
    first = next(line for line in errors.splitlines() if "error:" in line)
    if sentence not in first:
        return f"{statement}\n  expected: {sentence}\n  got: {first}"
    if len(errors.splitlines()) > MOST_LINES:
        return f"{statement}: an error of {len(errors.splitlines())} lines"
    return None


broken = defined("__clang__") is None and int(defined("__GNUC__")) < 13
cases = EVERYWHERE + [(statement, sentence if broken else None) for statement, sentence in TEMPORARIES]
with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
    headers = compile_headers(folder)
    faults = [fault for fault in pool.map(fault_of, cases) if fault]
tried = "\n".join(statement for statement, _ in TEMPORARIES)
names = set(guarded())
faults += [f"no case for the guard of {name}()" for name in sorted(names) if not re.search(rf"\b{name}\(", tried)]
if len(names) < 20:
    faults.append(f"only {len(names)} guards were found: {sorted(names)}")
print("\n".join(faults) or f"{len(cases)} cases, g++ 12: {broken}")
sys.exit(1 if faults else 0)
