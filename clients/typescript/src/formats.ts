// The answers of model providers, as far as a loop reads them.
import { foreign } from "./errors.js";
import type { Format, JsonObject } from "./wire.js";

/** Turn is the answer of a model. */
export interface Turn {
  /** The message for execute. */
  message: JsonObject;
  /** The message as items of the conversation. */
  append: JsonObject[];
  /** The text for the person, or the reason of a refusal. */
  text: string;
  /** The number of tool calls in it. */
  calls: number;
  /** The model or its provider declined to answer. */
  refused: boolean;
  /** The answer reached the maximum length. */
  cutOff: boolean;
  /** The tokens read and written, 0 if the provider does not report them. */
  tokens: number;
}

/** user returns a person's text as one item of a conversation. */
export function user(format: Format, text: string): JsonObject {
  return format === "gemini" ? { role: "user", parts: [{ text }] } : { role: "user", content: text };
}

/** read reads the whole answer of a provider, as its SDK returns it. A Turn is plain JSON, which can be stored. */
export function read(format: Format, answer: object): Turn {
  const turn = readers[format](JSON.parse(JSON.stringify(answer)) as JsonObject);
  if (turn.refused && turn.text === "") turn.text = "The provider declined to answer.";
  return turn;
}

const readers: { [format in Format]: (answer: JsonObject) => Turn } = {
  openai(completion) {
    const choice = list(completion.choices)[0];
    const message = object(choice?.message);
    if (!message) throw malformed("it has no choice with a message");
    const refusal = string(message.refusal);
    return {
      message,
      append: [message],
      text: (string(message.content) || texts(list(message.content), "text")) + refusal,
      calls: list(message.tool_calls).length,
      refused: refusal !== "" || choice?.finish_reason === "content_filter",
      cutOff: choice?.finish_reason === "length",
      tokens: number(object(completion.usage)?.total_tokens),
    };
  },

  openai_responses(response) {
    if (!Array.isArray(response.output)) throw malformed("it has no output");
    const output = list(response.output);
    const parts = output.filter((item) => item.type === "message").flatMap((item) => list(item.content));
    const reason = object(response.incomplete_details)?.reason;
    return {
      message: response,
      append: output,
      text: parts.map((part) => string(part.text) + string(part.refusal)).join(""),
      calls: output.filter((item) => item.type === "function_call").length,
      refused: reason === "content_filter" || parts.some((part) => part.type === "refusal"),
      cutOff: reason === "max_output_tokens",
      tokens: number(object(response.usage)?.total_tokens),
    };
  },

  anthropic(message) {
    if (!Array.isArray(message.content)) throw malformed("it has no content");
    const content = list(message.content);
    const usage = object(message.usage) ?? {};
    // Anthropic refuses text without visible characters, and messages without content.
    const shown = content.filter((block) => block.type !== "text" || string(block.text).trim() !== "");
    return {
      message,
      append: shown.length > 0 ? [{ role: "assistant", content: shown }] : [],
      text: texts(content, "text"),
      calls: content.filter((block) => block.type === "tool_use").length,
      refused: message.stop_reason === "refusal",
      cutOff: message.stop_reason === "max_tokens" || message.stop_reason === "model_context_window_exceeded",
      tokens: ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"].reduce((sum, name) => sum + number(usage[name]), 0),
    };
  },

  gemini(response) {
    const candidate = list(response.candidates)[0];
    const blocked = string(object(response.promptFeedback)?.blockReason);
    const content = object(candidate?.content) ?? { role: "model", parts: [] };
    if (!candidate && blocked === "") throw malformed("it has no candidate");
    const parts = list(content.parts);
    const finish = string(candidate?.finishReason);
    if (parts.length === 0 && blocked === "" && !declined.has(finish)) throw malformed(`the model ended without an answer (${finish}); ask again`);
    return {
      message: content,
      append: parts.length > 0 ? [content] : [],
      text: parts.filter((part) => part.thought !== true).map((part) => string(part.text)).join(""),
      calls: parts.filter((part) => object(part.functionCall)).length,
      refused: blocked !== "" || declined.has(finish),
      cutOff: finish === "MAX_TOKENS",
      tokens: number(object(response.usageMetadata)?.totalTokenCount),
    };
  },
};

const declined = new Set([
  "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
]);

function malformed(why: string): Error {
  return foreign(`the model's answer cannot be read: ${why}`);
}

function object(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => object(item)) : [];
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function texts(parts: JsonObject[], type: string): string {
  return parts.filter((part) => part.type === type).map((part) => string(part.text)).join("");
}
