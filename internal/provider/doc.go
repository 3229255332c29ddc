// Package provider converts between Helve and the formats of model providers: it writes
// tool definitions for a provider's request, parses the tool calls of a model's
// message, and writes the results as messages to append.
//
// It is three functions of a [Format], on JSON text and nothing else:
//
//	tools, err := provider.Anthropic.Tools(defs)              // the request's "tools"
//	calls, err := provider.Anthropic.Calls(message)           // the model's own message
//	more, err := provider.Anthropic.Messages(calls, outcomes) // the messages to append
//
// # What it promises
//
// Every definition passes the provider's published restrictions, whatever JSON Schema
// the tool came with, because one definition that does not makes a provider refuse the
// whole request. What a provider cannot express is left out, or said in a description;
// arguments are still judged by the tool's own schema when the call runs, so a schema
// that says less costs a round and never a rule.
//
// Every call in a message is answered, in the order of the message. An error in one
// call is that call's Problem, in a sentence for the model; only an invalid message is
// an error, in a sentence for its sender. Numbers keep every digit, IDs and names are
// returned unchanged, and members outside the formats are ignored.
//
// # Ids
//
// An ID is any text of at most 256 bytes. A call without a usable ID gets call_ and its
// index in the message, for providers that match an answer to its call by ID. Duplicate
// IDs are returned unchanged: providers refuse such a message when it is sent back to
// them, but an answer with another ID would match no call at all.
//
// # What it does not do
//
// It opens no connection, knows no model and does not stream: a client of a provider
// assembles the deltas first. The function_call of messages from before tool_calls is
// not read. It looks up no tool: [Call.Name] is written by the model, and is the [Name]
// of a tool if the model followed the definitions. Calls that the provider runs itself
// are skipped. Calls of OpenAI's custom tools are answered with a problem, because tools
// here are functions; those of other types are skipped: the client must answer them.
// It does not enforce a provider's bound on the number of tools.
package provider
