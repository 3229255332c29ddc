// Package chat has the models of four providers, as a [client.Loop] talks to them:
// OpenAI's Chat Completions and what imitates it, OpenAI's Responses, Anthropic's
// Messages and Gemini's generateContent. It speaks their streaming HTTP itself, so that
// a front end that embeds package client links no SDK.
//
// # What it promises
//
// The text of an answer is handed on as it arrives, and the pieces joined are
// [client.Turn].Text. Turn.Message is what a request's message takes in that format, and
// Turn.Append what the provider takes back in the next request: what it wants to see
// again unchanged, such as signatures of thoughts, goes back as it came, and numbers
// keep every digit.
//
// Ask ends. It ends at once when its context does, with the context's cause, and when
// the provider sends nothing for [Options].Idle. A line of an answer may have 16 MiB and
// all of it 64 MiB. Every failure of the provider is a [*client.ModelError] in a
// sentence that says what to do; an answer that broke off in the middle is one too and
// never a shorter answer, whatever text of it was handed on already.
//
// The key goes to the base URL and nowhere else: redirects are refused. It is in no
// error, even where the provider repeats it.
//
// # What it does not promise
//
// It asks once: to ask again after a temporary failure is the caller's decision. It
// keeps no conversation, offers no setting beyond [Options], and reads no answer but the
// first where a provider gives several. Thoughts that a server of Chat Completions sends
// beside its answer (reasoning_content) are dropped, because that format has no place
// for them in the next request.
package chat
