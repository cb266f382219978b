// How a person answers: the next word of a list, then the usual one.
//   allow_once, allow_always, reject_once, reject_always, cancelled
export class Permissions {
  asked = []; // the params of every question
  usual = "allow_once";
  #next = [];

  // Words, or a function of the question that gives a word.
  then(...answers) {
    this.#next.push(...answers);
  }

  async answer(params, cx) {
    this.asked.push(params);
    const next = this.#next.shift() ?? this.usual;
    const word = typeof next === "function" ? await next(params, cx) : next;
    if (word === "cancelled") return { outcome: { outcome: "cancelled" } };
    // By kind, never by place.
    const option = params.options.find(({ kind }) => kind === word);
    if (!option)
      throw new Error(`no option ${word} among ${params.options.map(({ kind }) => kind)}`);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  }

  kinds() {
    return this.asked.map(({ toolCall }) => toolCall.kind);
  }
}
