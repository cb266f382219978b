// What is required of clients of version 2, and tried by `acp check client --protocol 2`.
#include "check/rules/version2/requirement_words.h"

namespace acp::check {
namespace version2 {
namespace {

constexpr Requirement tried_of_clients[] = {
    of_client("C2-INIT-1", must, "The client asks for version 2, or a later one.",
              ACP_PAGE "initialization#version-negotiation"),
    of_client(
        "C2-INIT-2", must,
        "When the agent answers with a version that the client does not know, the client asks for "
        "nothing more.",
        ACP_PAGE "initialization#version-negotiation"),
    of_client("C2-INIT-3", should, "… and closes the connection.",
              ACP_PAGE "initialization#version-negotiation"),
    of_client("C2-INIT-4", should, "… and tells its user: it does not end with success.",
              ACP_PAGE "initialization#version-negotiation"),
    of_client("C2-INIT-5", must,
              "What the agent does not mention in its answer is not supported, and no fault.",
              ACP_PAGE "initialization#agent-capabilities"),
    of_client("C2-INIT-6", must,
              "Capabilities, fields and _meta in the answer to initialize that the client does not "
              "know are "
              "survived.",
              ACP_PAGE "extensibility"),
    of_client(
        "C2-INIT-7", must,
        "When initialize is answered with an error, the client asks for no session, and ends or "
        "closes the connection.",
        ACP_PAGE "initialization"),
    of_client("C2-INIT-8", must,
              "When the agent answers with version 1, the client speaks version 1, or closes the "
              "connection.",
              ACP_PAGE "initialization#version-negotiation"),
    of_client("C2-INIT-9", must, "An agent without the capability session is asked for no session.",
              ACP_PAGE "initialization#session-capabilities"),

    of_client("C2-AUTH-1", should,
              "When session/new is refused with -32000, the client logs in with one of the agent's "
              "methods "
              "before it asks again.",
              ACP_PAGE "initialization"),
    of_client("C2-AUTH-2", should, "After auth/login the client asks for the session again.",
              ACP_PAGE "initialization"),
    of_client(
        "C2-AUTH-3", must,
        "When auth/login fails, the client does not go on as if it had not: it tells its user, and "
        "does not end with success.",
        ACP_PAGE "initialization"),

    of_client("C2-SESS-1", must,
              "When session/new fails, the client does not wait for ever, nor end with success.",
              ACP_PAGE "session-setup#creating-a-session"),
    of_client("C2-SESS-2", must,
              "Options, commands and fields in the answer to session/new that the client does not "
              "know are "
              "survived.",
              ACP_PAGE "extensibility"),
    of_client("C2-SESS-3", must,
              "Updates of a session that come before the answer to session/new are taken.",
              ACP_PAGE "session-setup#creating-a-session"),

    of_client("C2-TURN-1", must,
              "The answer to a prompt does not end its turn: the state idle does.",
              ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    of_client("C2-TURN-2", must, "Each stop reason ends the turn.",
              ACP_PAGE "prompt-lifecycle#stop-reasons"),
    of_client("C2-TURN-3", must,
              "A stop reason that the client does not know ends the turn, and so does none.",
              ACP_PAGE "prompt-lifecycle#stop-reasons"),
    of_client(
        "C2-TURN-4", must,
        "The stop reason error ends the turn, and the user sees it: the client does not end with "
        "success.",
        ACP_PAGE "prompt-lifecycle#stop-reasons"),
    of_client("C2-TURN-5", must,
              "An error as answer to session/prompt ends the wait for the turn, and the user sees "
              "it: the "
              "client does not end with success.",
              ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    of_client("C2-TURN-6", must,
              "The state idle that comes before a prompt is inserted does not end its turn.",
              ACP_PAGE "prompt-lifecycle#session-states"),
    of_client(
        "C2-TURN-7", must,
        "The state requires_action, and states that the client does not know, do not end the turn.",
        ACP_PAGE "prompt-lifecycle#session-states"),
    of_client(
        "C2-TURN-8", must,
        "The user's message may come back before or after the answer, whole or in pieces, and the "
        "state before both.",
        ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    of_client("C2-TURN-9", should, "An agent that takes seconds for its answers is waited for.",
              ACP_PAGE "prompt-lifecycle"),
    of_client("C2-TURN-10", must,
              "_meta and unknown fields in the answer to a prompt are survived.",
              ACP_PAGE "extensibility"),

    of_client("C2-UPD-1", must, "Every kind of update that the protocol has is taken.",
              ACP_PAGE "schema#sessionupdate"),
    of_client("C2-UPD-2", must, "Kinds of updates that the client does not know are survived.",
              ACP_PAGE "extensibility"),
    of_client("C2-UPD-3", must, "_meta and unknown fields in updates are survived.",
              ACP_PAGE "extensibility"),
    of_client("C2-UPD-4", must,
              "Kinds, states and content that the client does not know are survived in updates.",
              ACP_PAGE "extensibility"),
    of_client("C2-UPD-5", must,
              "Updates of background work, after the end of the turn, are survived.",
              ACP_PAGE "prompt-lifecycle#background-work"),
    of_client("C2-UPD-6", should,
              "Updates of a session that the client does not know are survived.",
              ACP_PAGE "prompt-lifecycle"),
    of_client(
        "C2-UPD-7", must,
        "Updates that clear with null, replace what came in pieces, or add to what is unknown are "
        "survived.",
        ACP_PAGE "tool-calls"),
    of_client("C2-UPD-8", must, "A message of 5 MB is taken.", ACP_PAGE "transports"),
    of_client("C2-UPD-9", must, "Thousands of updates at once are taken.",
              ACP_PAGE "prompt-lifecycle"),
    of_client("C2-UPD-10", should, "A known kind of update whose content does not fit is survived.",
              ACP_PAGE "extensibility"),

    of_client("C2-ASK-1", must, "A permission request is answered with an outcome.",
              ACP_PAGE "tool-calls#requesting-permission"),
    of_client("C2-ASK-2", must,
              "Permission requests about a command, about something unknown and about nothing are "
              "answered "
              "with an outcome.",
              ACP_PAGE "schema#requestpermissionsubject"),
    of_client("C2-ASK-3", must, "Two permission requests at a time are both answered.",
              ACP_PAGE "tool-calls#requesting-permission"),
    of_client(
        "C2-ASK-4", must,
        "A permission request that the agent cancels with $/cancel_request is answered cancelled.",
        ACP_PAGE "prompt-lifecycle#cancellation"),
    of_client(
        "C2-STOP-1", should,
        "After session/cancel the client waits for the state idle, and takes updates until then.",
        ACP_PAGE "prompt-lifecycle#cancellation"),
    of_client("C2-STOP-2", must,
              "A prompt that is answered with -32800 after session/cancel is over.",
              ACP_PAGE "prompt-lifecycle#cancellation"),
    of_client("C2-ELICIT-1", must, "An elicitation of an advertised mode is answered.",
              ACP_PAGE "elicitation"),
    of_client("C2-ELICIT-2", must,
              "What an elicitation is accepted with fits the schema that was asked for.",
              ACP_PAGE "elicitation"),
    of_client("C2-ELICIT-3", must, "An elicitation of a mode that was not advertised is an error.",
              ACP_PAGE "elicitation"),
    of_client("C2-ELICIT-4", must, "elicitation/complete for an unknown id is ignored.",
              ACP_PAGE "elicitation"),
    of_client("C2-HONEST-1", must,
              "Files and terminals of the client, which version 2 does not have, are answered with "
              "-32601.",
              ACP_PAGE "overview"),
};

}  // namespace
}  // namespace version2

std::span<const Requirement> client_requirements_2() { return version2::tried_of_clients; }

}  // namespace acp::check
