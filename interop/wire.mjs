// What passed between a client and an agent, in the order of the wire.
import { within } from "./deadline.mjs";

export class Transcript {
  entries = []; // {from: "client" | "agent", message}
  overHttp = false;
  #waiters = new Set();

  add(from, message) {
    const entry = { from, message };
    this.entries.push(entry);
    for (const waiter of [...this.#waiters]) waiter(entry);
  }

  // The first entry, from index `since`, for which the predicate holds; it may be yet to come.
  until(predicate, what, since = 0) {
    const found = this.entries.slice(since).find(predicate);
    if (found) return Promise.resolve(found);
    return within(
      new Promise((resolve) => {
        const waiter = (entry) => {
          if (!predicate(entry)) return;
          this.#waiters.delete(waiter);
          resolve(entry);
        };
        this.#waiters.add(waiter);
      }),
      what,
    );
  }

  // A message of the agent's with this method.
  asked(method, since = 0) {
    return this.until(
      ({ from, message }) => from === "agent" && message.method === method,
      `${method} from the agent`,
      since,
    );
  }

  // A message of the client's with this method.
  sent(method, since = 0) {
    return this.until(
      ({ from, message }) => from === "client" && message.method === method,
      `${method} from the client`,
      since,
    );
  }

  answerTo(entry) {
    return this.until(
      ({ from, message }) => isAnswer(message, entry) && from !== entry.from,
      "an answer",
    );
  }
}

export function isAnswer(message, { message: request }) {
  return !("method" in message) && message.id === request.id;
}

// A stream of the SDK's that writes down what passes. `reader` is the side whose stream it is.
export function tapped({ readable, writable }, transcript, reader) {
  const writer = reader === "client" ? "agent" : "client";
  const tap = (from) =>
    new TransformStream({
      transform(message, controller) {
        transcript.add(from, message);
        controller.enqueue(message);
      },
    });
  const outgoing = tap(reader);
  outgoing.readable.pipeTo(writable).catch(() => {});
  return { readable: readable.pipeThrough(tap(writer)), writable: outgoing.writable };
}
