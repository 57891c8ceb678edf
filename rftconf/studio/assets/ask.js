// Questions to the server that gave out this page; there is nobody else to ask.

export const MOST_TEXT = 1024 * 1024;

export const bytes = (text) => (text.length > MOST_TEXT ? text.length : new TextEncoder().encode(text).length);

export const tooLarge = (size) =>
  `${(size / 1048576).toFixed(1)} MiB: at most ${MOST_TEXT / 1048576} MiB are read, five times the largest config seen`;

async function post(verb, fields, signal) {
  let response;
  try {
    response = await fetch(`api/${verb}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw { message: "the studio does not answer: is it still running in its terminal?", exit: 70 };
  }
  if (response.ok) return response;
  let said = { message: `the studio answered ${response.status}`, exit: 70 };
  try {
    said = (await response.json()).error ?? said;
  } catch {
    // not JSON: the status says it
  }
  throw said;
}

export const ask = async (verb, fields, signal) => (await post(verb, fields, signal)).json();
export const raw = async (verb, fields) => (await post(verb, fields)).blob();

// A question whose answer is only wanted while it is the newest one.
export function newest(verb) {
  let running = null;
  return async (fields) => {
    running?.abort();
    const mine = (running = new AbortController());
    try {
      const answer = await ask(verb, fields, mine.signal);
      return mine.signal.aborted ? null : answer;
    } catch (error) {
      if (error.name === "AbortError" || mine.signal.aborted) return null;
      throw error;
    }
  };
}
