// Package foreign makes the texts and schemas that others wrote safe to offer: those of
// MCP servers and of API documents.
//
// It promises that a text which it returns has no character that people cannot see, and
// that a schema which it returns compiles, refers to nothing outside itself, and holds no
// invisible character in a name or a value. Both are bounded. A schema accepts everything
// that its original accepts, and names what it does not check of it.
//
// It does not judge what a text says: a description may still try to persuade a model.
package foreign
