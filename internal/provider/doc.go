// Package provider speaks the dialects of model providers: it writes tool definitions
// the way a provider's request takes them, reads the tool calls out of the message its
// model answered with, and writes the results as the messages to append.
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
// Every call in a message is answered, in the order of the message. What is wrong with
// one call is that call's Problem, in a sentence for the model; only a message that is
// none is an error, in a sentence for who sent it. Numbers keep every digit, ids and
// names are echoed as they were written, and what the formats do not name is ignored.
//
// # Ids
//
// An id is any text of at most 256 bytes. A call without a usable one gets call_ and its
// place in the message, for providers that tie an answer to its call by id. Ids that
// occur twice are echoed twice: providers refuse such a message when it is sent back to
// them, but an answer with another id would match no call at all.
//
// # What it does not do
//
// It opens no connection, knows no model and streams nothing: whoever talks to a
// provider puts the deltas together first. The function_call of messages from before
// there were tool_calls is not read. It looks up no tool: [Call.Name] is what the
// model wrote, which is the [Name] of a tool where the model obeyed. Calls that the
// provider runs itself, and those of tools that are no functions, are skipped: they are
// somebody else's to answer. It does not hold a request to a provider's bound on the
// number of tools.
package provider
