/** One message of a stream of server-sent events. */
export interface Message {
  id: string;
  data: string;
}

/** The longest message, in characters. */
const longest = 16 * 2 ** 20;

/** TooLong is the error of a message or line that exceeds the bound. */
export class TooLong extends Error {}

/**
 * messages parses server-sent events, without their names and retry times. It cancels the
 * stream when the caller stops reading.
 */
export async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message, void> {
  let id = "";
  let data: string[] = [];
  let size = 0;
  for await (const line of lines(stream)) {
    if (line === "") {
      if (data.length > 0) yield { id, data: data.join("\n") };
      data = [];
      size = 0;
      continue;
    }
    const colon = line.indexOf(":"); // a comment begins with one
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "id" && !value.includes("\0")) id = value;
    if (name === "data") {
      size += value.length;
      if (size > longest) throw new TooLong(`an event is longer than ${longest} characters`);
      data.push(value);
    }
  }
}

/** lines yields the lines of a stream, which end with CR, LF or both. An incomplete last line is left out. */
async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let size = 0;
  let afterCR = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (afterCR && text.startsWith("\n")) text = text.slice(1);
      if (text !== "") afterCR = text.endsWith("\r");
      const parts = text.split(/\r\n|\r|\n/);
      const last = parts.pop() as string;
      for (const part of parts) {
        yield rest.join("") + part;
        rest = [];
        size = 0;
      }
      rest.push(last);
      size += last.length;
      if (size > longest) throw new TooLong(`a line is longer than ${longest} characters`);
    }
  } finally {
    await reader.cancel().catch(() => {}); // it may have failed before
  }
}
