// Package chat implements the models of four providers for a [client.Loop]: OpenAI's
// Chat Completions and compatible servers, OpenAI's Responses, Anthropic's Messages and
// Gemini's generateContent. It implements their streaming HTTP itself, so that a front
// end that embeds package client needs no SDK.
//
// # What it promises
//
// The text of an answer is passed on as it arrives, and the joined pieces are
// [client.Turn].Text. Turn.Message is valid as the message of a request in that format,
// and Turn.Append as part of the provider's next request: parts that the provider
// expects unchanged, such as signatures of thoughts, are returned unchanged, and
// numbers keep every digit.
//
// Ask always ends: immediately when its context does, with the context's cause, and
// when the provider sends nothing for [Options].Idle. A line of an answer may have 16
// MiB and the whole answer 64 MiB. Every failure of the provider is a
// [*client.ModelError] with a sentence that names the remedy. An interrupted answer is
// such an error too and never a shorter answer, even if some of its text was already
// passed on.
//
// The key is sent only to the base URL: redirects are refused. No error contains it,
// even if the provider repeats it.
//
// # What it does not promise
//
// It sends one request: retrying after a temporary failure is up to the caller. It
// stores no conversation, has no setting beyond [Options], and reads only the first
// answer if a provider returns several. Thoughts that a server of Chat Completions
// sends with its answer (reasoning_content) are dropped, because that format has no
// place for them in the next request.
package chat
