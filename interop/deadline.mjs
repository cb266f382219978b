// Every wait has an end, which says what was waited for.
import assert from "node:assert/strict";

// For sanitizers on a busy machine; nothing is measured by it.
const PATIENCE_MS = Number(process.env.ACP_PATIENCE_MS ?? 60_000);

export function within(promise, what, minutes = 1) {
  let timer;
  const over = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`waited in vain for ${what}`)),
      minutes * PATIENCE_MS,
    );
  });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

// The error with this code that the promise must end in.
export async function fails(promise, code) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    assert.equal(error.code, code, `an error ${code}, not: ${error.code} ${error.message}`);
    return error;
  }
  assert.fail(`an error ${code}, not: ${JSON.stringify(value)}`);
}
