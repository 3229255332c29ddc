// Package openai sends requests to an endpoint that speaks OpenAI's API: vectors for texts,
// chat completions about an image or a text, pictures, speech and transcripts.
//
// It promises that each request goes through the guarded HTTP port of the call, that the
// key of the service is sent to its base_url and nowhere else, that an answer is read up to
// a bound and checked, and that a failure has the kind by which agents decide: not_configured
// for a missing or refused key, rate_limited, network_error, execution_error. Errors hold
// no key.
//
// It does not promise that the answer of a model is true.
package openai
