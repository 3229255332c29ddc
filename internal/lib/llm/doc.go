// Package llm sends requests to the language model of a tenant: for a text, or for a JSON
// object that fits a schema. It speaks the APIs of OpenAI (also of compatible endpoints),
// Anthropic and Gemini; the first of these services with an account is used.
//
// It promises that the data of a request is sent apart from the task, as a JSON object that
// the model is told not to obey; that an object is held to its schema with the rules of
// package schema, and the model is asked to repair it at most once; that numbers keep every
// digit; that each request ends within a minute and is counted as usage of the call. Errors
// have the kinds of package outward.
//
// It does not promise that an answer is true, nor that no model obeys text in the data.
package llm
